"""Who pays for which teams, on which plan, and whether money is involved."""
