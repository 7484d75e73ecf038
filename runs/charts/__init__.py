"""Custom charts that teams store: who reads which, and changing them."""
