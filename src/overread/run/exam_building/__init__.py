"""Builds an exam: draws it, asks the built-in readers, looks for leaks, then releases it."""
