"""What changes alerts: services, permission first."""
