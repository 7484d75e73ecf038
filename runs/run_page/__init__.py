"""What a run's page shows: the context of all tabs, the Overview, trees of values, links to code, neighbours."""
