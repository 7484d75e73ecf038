"""The REST API of sweeps."""
