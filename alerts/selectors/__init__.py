"""What pages and lists read of alerts: selectors."""
