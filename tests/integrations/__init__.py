"""Frameworks that log through the SDK: each trains with a script of `scripts/`, in a virtual environment of its own."""
