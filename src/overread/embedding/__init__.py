"""Texts to vectors: the only place beside `models.clip` where torch is imported."""
