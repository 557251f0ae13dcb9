"""CT-Bench: a lesion exam on CT, and the lesion set behind it."""
