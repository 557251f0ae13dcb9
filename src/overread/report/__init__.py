"""Pages and tables for people: prints estimates, never computes one."""
