"""Fine-tunes an image-text scorer on a release's training split and watches it in its exam."""
