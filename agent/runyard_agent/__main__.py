"""Let ``python -m runyard_agent`` be the command."""

import sys

from runyard_agent.cli import main

sys.exit(main())
