"""Contrastive training of image-text scorers on pairs of picture and sentence; extra ``torch``."""
