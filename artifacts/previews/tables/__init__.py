"""Tables in files: sources that read them row by row, pages, groups and joins of them."""
