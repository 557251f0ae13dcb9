"""Drafts lesion descriptions from report sentences with a chat model, for people to review.

`sentences` reads what there is, `form` asks and reads replies, `drafts` checks them by facts,
`review` takes what people said, `build` runs it all.
"""
