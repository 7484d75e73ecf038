"""Benchmarks: each prints its figure and a reference measured in the same run, since the machine is noisy."""
