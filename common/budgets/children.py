"""Decoders in processes of their own: what a file takes when decoded is not known before, whatever it says of itself.

A child has as much memory and processor time as the kernel lets it have, and is killed when its client leaves. It
imports only what its functions need, without Django's apps: they get paths and plain values, and return such values.
"""

import atexit
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar, cast

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from common.budgets.budget import Budget, current
from common.budgets.child import Reply, too_large
from common.budgets.gate import Gate
from common.budgets.heavy_work import require_allowance
from common.errors import Invalid

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 2
"""Children of a process. Pages ask for several tables at once, so some of one caller's requests wait."""
_gate = Gate(at_once=AT_ONCE, each=AT_ONCE, waiting=4, wait_s=20)
_LONGEST_S = 60
"""Of one call, whatever it waits for."""
_LOOK_S = 0.1
_IDLE_S = 300
"""After which a child that nothing was asked of ends."""
_KEPT_BYTES = 192 << 20
"""A child that has grown beyond this ends after its answer, which gives the memory back."""
_MAIN = "from common.budgets.child import main; main()"
_SETTINGS = ("DECODER_BYTES", "LANGUAGE_CODE", "LANGUAGES", "LOCALE_PATHS", "USE_I18N", "USE_TZ", "TIME_ZONE")

_lock = threading.Lock()
_idle: list["_Child"] = []


def apart(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Call a function of a module in a child; it raises here what it raises there.

    Raises:
        TooLargeDecoded: over settings.DECODER_BYTES of memory.
        TooExpensive: over the processor time that the request has left, or it does not end.
        ClientGone: no one waits for it any more.
        TooManyRequests, Unavailable: the caller's allowance is used up, or too much is under way.
    """
    budget = current()
    require_allowance()
    with _gate.passing(budget.caller):
        child = _borrowed()
        try:
            reply = child.call(budget, function, args, options)
        except BaseException:
            child.end()
            raise
        _give_back(child)
    return cast("T", _result(reply))


@atexit.register
def end_all() -> None:
    """End the children that wait for work."""
    with _lock:
        idle, _idle[:] = _idle[:], []
    for child in idle:
        child.end()


def _result(reply: Reply) -> Any:
    """Return what a call returned, or raise what it raised."""
    if reply.error is None:
        return pickle.loads(reply.value)  # noqa: S301 - of our own process
    kind, args, attributes = reply.error
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    raise error


def _borrowed() -> "_Child":
    with _lock:
        while _idle:
            child = _idle.pop()
            if child.is_alive:
                return child
    return _Child()


def _give_back(child: "_Child") -> None:
    if child.size > _KEPT_BYTES:
        child.end()
        return
    with _lock:
        child.idle_since = time.monotonic()
        _idle.append(child)
    timer = threading.Timer(_IDLE_S + 1, _end_idle)
    timer.daemon = True
    timer.start()


def _end_idle() -> None:
    since = time.monotonic() - _IDLE_S
    with _lock:
        over = [child for child in _idle if child.idle_since < since]
        _idle[:] = [child for child in _idle if child.idle_since >= since]
    for child in over:
        child.end()


class _Child:
    """A process that answers one call after the other."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _MAIN, str(theirs.fileno())],
                pass_fds=[theirs.fileno()], env=_environment(), stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self._connection = Connection(ours.detach())
        self._connection.send({name: getattr(settings, name) for name in _SETTINGS})
        self.size = 0
        self.idle_since = 0.0

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def call(self, budget: Budget, function: Callable[..., Any], args: Any, options: Any) -> Reply:
        left, began = max(1.0, budget.left_s), time.monotonic()
        self._connection.send((translation.get_language(), left, function, args, options))
        try:
            while not self._connection.poll(_LOOK_S):
                budget.look_for_client()
                if time.monotonic() - began > _LONGEST_S:
                    budget.stop(
                        Invalid(_("This did not end within %(most)s seconds.") % {"most": _LONGEST_S})
                    )
            answer = self._connection.recv_bytes()
        except (EOFError, ConnectionError):
            budget.add(time.monotonic() - began)
            raise self._why_it_ended(budget) from None
        reply = Reply(*pickle.loads(answer))  # noqa: S301 - of our own process
        budget.add(reply.seconds)
        self.size = reply.size
        return reply

    def _why_it_ended(self, budget: Budget) -> Exception:
        status = self._process.wait()
        if status > 0:
            return RuntimeError("a decoder failed; what it printed says why")
        if status == -signal.SIGPROF:
            return budget.out_of_time
        return too_large()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._connection.close()


def _environment() -> dict[str, str]:
    """Return ours, with few threads: the stack of each counts as memory."""
    path = os.pathsep.join(filter(None, sys.path))
    few = {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    return {**os.environ, **few, "PYTHONPATH": path, "PYTHONSAFEPATH": "1", "MALLOC_ARENA_MAX": "1"}
