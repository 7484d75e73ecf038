"""Artifacts: versioned files of projects, who made and who used them."""
