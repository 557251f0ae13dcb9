"""Reads what a sentence says about a lesion, and compares two such sentences fact by fact.

A sentence becomes `facts.LesionFacts` (`reader`), by a curated list of terms (`terms/*.toml`) and a
small grammar; no network, no likeness of texts. `compare` tells for each fact whether it is right,
wrong, missing or added; `metrics.facts` makes one number of that; `scorer` makes Score rows. How
well the reader reads is measured: see the page on the fact score in the documentation.
"""
