"""The only place where a benchmark meets a model."""
