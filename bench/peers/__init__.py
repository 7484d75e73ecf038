"""Runyard and its peers at the same work over loopback; ``python -m bench.peers`` (see docs/develop/benchmarks.md)."""
