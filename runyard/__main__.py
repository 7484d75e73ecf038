"""The command `runyard` of an installed wheel; in a checkout `manage.py` is the same."""

import sys
from pathlib import Path

CODE = Path(__file__).resolve().parent
"""Where the wheel puts manage.py and the apps, whose names are no other package's business: nobody else sees them."""


def main() -> None:
    """Let the apps be found, and do what the arguments say."""
    sys.path.insert(0, str(CODE))
    from config.commands.line import main as run_command

    run_command("runyard")


if __name__ == "__main__":
    main()
