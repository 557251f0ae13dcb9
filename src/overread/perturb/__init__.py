"""Changes of items before they are asked: one kind a module, each with a ``PERTURBATION``."""
