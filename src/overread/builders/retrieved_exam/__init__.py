"""A lesion exam whose wrong choices look alike and differ in fact.

`lesions` reads a lesion set, `neighbours` finds what looks and reads alike, `unlike` decides by
facts what can be a wrong choice, `draw` draws the questions, `review` lets people strike some,
`release` writes what is left.
"""
