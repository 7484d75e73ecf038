"""What teams would pay at their organization's own prices."""
