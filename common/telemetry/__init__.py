"""What the server measures of itself, for Prometheus (docs/operate/monitor.md).

`definitions` has every measurement, `vitals` those of processes, `tasks` those of Celery; `exposition` adds up what all
processes of an installation have written, and asks for what is only known to the database or Redis.

The library decides when it is imported where values live: in memory, or, where PROMETHEUS_MULTIPROC_DIR names a folder,
in files there that other processes read. `manage.py serve` names one (`folder`); what is started otherwise may do
without. Import the library through this package only: it sees that the folder is there first.
"""

import os
from pathlib import Path

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
SHARED_FOLDER = Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None
"""Where the processes of this installation leave their values; None: each keeps its own."""

if SHARED_FOLDER is not None:
    SHARED_FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
elif VARIABLE in os.environ:
    del os.environ[VARIABLE]  # empty is none: the library would write to the root of the file system
