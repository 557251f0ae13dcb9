"""Reads what a free report claims: findings asserted, denied, hedged or not mentioned."""
