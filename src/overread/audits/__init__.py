"""What a release or a table gives away about itself, as Findings."""
