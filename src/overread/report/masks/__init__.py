"""What a page about masks is made of: strips of values, and pictures of the worst cases."""
