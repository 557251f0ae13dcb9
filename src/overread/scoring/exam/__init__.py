"""What written licensing exams share: kinds of questions, keys, linked cases, wording, scorers."""
