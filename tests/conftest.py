"""Settings for every test: a busy machine is no fault of the code."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
