"""What the SDK says and asks of sweeps."""
