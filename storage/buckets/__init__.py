"""Places of bytes outside the data folder: their rows, and what opens them."""
