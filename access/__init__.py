"""The permission engine: who is asking (actor), what for (action), and one decision for every interface."""
