"""The command line: `runyard` of an installed wheel, `manage.py` of a checkout."""
