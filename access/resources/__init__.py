"""What the engine knows of models: the paths from a row to who owns it, and what rows are called."""
