"""Payment methods, collecting of invoices, and events of gateways."""
