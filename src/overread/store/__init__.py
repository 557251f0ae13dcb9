"""The run store: one SQLite file a run, and what can be exported from it."""
