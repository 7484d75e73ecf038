"""Where events go on from here: the outbox's task finds their recipients."""

from importlib import import_module


def route_soon() -> None:
    """Let the worker route what was written; a beat does it anyway, a little later."""
    import_module("alerts.tasks").route_events.delay()  # late: with it come all transports
