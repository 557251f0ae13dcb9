"""Making releases: from lesion tables and pictures to an exam."""
