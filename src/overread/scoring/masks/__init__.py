"""Scorers of masks: two label maps read once, measured once, and written as Score rows."""
