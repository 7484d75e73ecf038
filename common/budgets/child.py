"""What runs in a child of `common.budgets.children`."""

import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from common.errors import DomainError, Invalid

_BASE_BYTES = 96 << 20
"""What the interpreter and the libraries take, beside what is decoded."""
_ANSWER_BYTES = 32 << 20
_FILE_BYTES = 1 << 30
"""Of a file that is written."""


class TooLargeDecoded(Invalid):
    """What was asked for takes more memory than a decoder has."""

    code = "too_large_decoded"


class Reply(NamedTuple):
    """What came of a call."""

    value: bytes
    """Pickled."""
    error: tuple[type[Exception], tuple[Any, ...], dict[str, Any]] | None
    """Its class, arguments and attributes."""
    seconds: float
    """Processor time."""
    size: int
    """Bytes that the child has in memory."""


def too_large() -> TooLargeDecoded:
    """Return the refusal that states the limit of memory."""
    return TooLargeDecoded(
        _("This takes more than %(most)s MiB of memory when decoded (setting %(setting)s).")
        % {"most": settings.DECODER_BYTES >> 20, "setting": "RUNYARD_DECODER_MIB"}
    )


def serve(connection: Connection) -> None:
    """Answer calls until the parent ends."""
    import django

    settings.configure(INSTALLED_APPS=[], **connection.recv())
    django.setup(set_prefix=False)
    most = _BASE_BYTES + settings.DECODER_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            language, seconds, function, args, options = connection.recv()
        except EOFError:
            return
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        with translation.override(language):
            value, error = _called(function, args, options)
        signal.setitimer(signal.ITIMER_PROF, 0)
        reply = Reply(value, error, time.process_time() - began, _resident_bytes())
        connection.send_bytes(pickle.dumps(tuple(reply)))


def _called(function: Callable[..., Any], args: Any, options: Any) -> tuple[bytes, Any]:
    """Return what a function returns, pickled, or what it raises; other errors than refusals end the process."""
    try:
        value = pickle.dumps(function(*args, **options))
        if len(value) <= _ANSWER_BYTES:
            return value, None
        error: Exception = too_large()
    except MemoryError:
        error = too_large()
    except SystemError as broken:  # as orjson's, which goes on without the memory
        if not isinstance(broken.__cause__, MemoryError):
            raise
        error = too_large()
    except (DomainError, FileNotFoundError) as refusal:
        error = refusal
    return b"", (type(error), error.args, error.__dict__)


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:  # not Linux
        return 0


def main() -> None:
    """Serve on the file descriptor that the command line names."""
    serve(Connection(int(sys.argv[1])))
