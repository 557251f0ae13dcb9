"""Ways of asking judge models whether an answer says what the reference says."""
