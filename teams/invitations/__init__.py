"""Invitations to teams and organizations: sending, accepting, declining, revoking."""
