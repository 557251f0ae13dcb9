"""One module or folder per way of reaching a model; `registry` finds them by name."""
