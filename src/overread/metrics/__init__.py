"""Numeric functions: arrays in, a float or a small frozen dataclass out."""
