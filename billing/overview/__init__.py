"""The overview of a payer: tiles of usage against the plan, and estimates."""
