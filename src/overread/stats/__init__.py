"""Statistics on arrays: intervals, bootstrap, paired tests, multiplicity."""
