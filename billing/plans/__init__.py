"""Plans: the ones of a fresh installation, what their terms include and cost, comparison, changes by operators."""
