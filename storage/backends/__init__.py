"""Where bytes lie: the data folder, or a bucket of one of several providers; see `base`."""
