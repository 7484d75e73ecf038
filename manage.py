#!/usr/bin/env python
"""Run a command; ``manage.py help`` lists them. An installed wheel has the same ones as ``runyard``."""

from config.commands.line import main

if __name__ == "__main__":
    main("manage.py")
