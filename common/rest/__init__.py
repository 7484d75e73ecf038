"""What every endpoint of the REST API shares: errors, pages of lists, parsers, renderers, routers."""
