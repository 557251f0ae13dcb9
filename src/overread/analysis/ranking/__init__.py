"""Rankings of methods from a table of cases, and how sure they are."""
