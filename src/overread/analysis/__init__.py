"""Score rows become Estimate rows: strata, chance, blind floors, comparisons."""
