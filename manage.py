#!/usr/bin/env python
"""Run a management command; ``manage.py help`` lists them."""

import os
import sys


def main() -> None:
    """Run the command that is named; `serve` without Django, which its process would hold for as long as it runs."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    if sys.argv[1:] == ["serve"]:
        from config.serve import main as serve

        sys.exit(serve())
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
