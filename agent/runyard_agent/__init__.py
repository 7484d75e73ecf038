"""Records runs and samples the hardware of training hosts for Runyard.

import runyard_agent as runyard

with runyard.init(project="digits", config={"lr": 0.1}) as run:
    run.log({"loss": 0.5})
"""

from typing import Any

from runyard_agent.api import Run, alert, finish, init, log, save

__all__ = ["Run", "alert", "finish", "init", "log", "save"]
__version__ = "0.2.0.dev0"


def __getattr__(name: str) -> Any:
    """Give ``run`` (None without one), and its ``config`` and ``summary``, as they are now."""
    from runyard_agent import api

    if name == "run":
        return api._current
    if name in {"config", "summary"}:
        return getattr(api.current(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
