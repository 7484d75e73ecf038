"""Files of runs: uploading, listing, previewing, downloading, and what was refused."""
