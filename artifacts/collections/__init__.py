"""Collections: changed, deleted and restored as a whole."""
