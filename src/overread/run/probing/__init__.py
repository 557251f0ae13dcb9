"""A probe: one run as released and one for each perturbation, in one folder."""
