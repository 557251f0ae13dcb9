"""Rebuilds a published table from what its release ships, cell by cell, and says what is off.

- `cells`: a cell, a reproduction, and whether two numbers agree to the last printed digit.
- `published_values`: what was published for a cell, and how many digits of it.
- `samples`: the items behind a corrected cell, and its interval clustered by patient.
- `vote_cells`, `category_cells`, `text_cells`: the columns.
- `table`: all of them together (`reproduce`).
"""
