"""Pages of what runs logged: charts, media, downloads."""
