"""How runs and projects are named: ids in addresses, paths, display names, authors."""
