"""Reads where things are in short answers about a chest CT, and compares two such answers by rule.

A question has a form (`forms`), told by its words alone. Where the form is closed, the facts it
asks for can be read in an answer (`reader`) and two answers compared (`compare`); `scorer` makes
Score rows of that. What the reader gets wrong is measured: see the page on closed questions in the
documentation.
"""
