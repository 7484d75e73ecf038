"""What a sweep searches: distributions of parameters, the grid of their values, and the unit cube."""
