"""Usage as pages, REST and CSV show it: sums, names, charts and filters."""
