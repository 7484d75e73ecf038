"""Questions that teams ask about an organization's plan, and hooks into the life of organizations."""
