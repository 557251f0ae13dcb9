"""Reading an answer in a reply, and turning responses into Score rows."""
