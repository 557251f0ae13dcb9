"""One folder per benchmark; `registry` finds them by name."""
