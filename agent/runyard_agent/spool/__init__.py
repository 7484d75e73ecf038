"""What was logged and is not yet on the server: an append-only folder for each run."""

from runyard_agent.spool.folder import Spool, root_of, spools_in, tell, tidy
from runyard_agent.spool.holding import Busy, SpoolError
from runyard_agent.spool.stream import Batch

__all__ = ["Batch", "Busy", "Spool", "SpoolError", "root_of", "spools_in", "tell", "tidy"]
