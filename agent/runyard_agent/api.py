"""The Python API: a run that a program records itself.

Nothing here waits for a disk or a server. Rows go through a pipe to a recorder process (``runyard_agent.recorder``),
which has the spool, the sampler and the sender; this process imports none of them.
"""

from __future__ import annotations

import atexit
import operator
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from runyard_agent.capture import Capture, tell
from runyard_agent.link import Link, first_frame
from runyard_agent.mappings import Config, Summary
from runyard_agent.settings import Settings, load
from runyard_agent.values import check_choice, plain_row

RESUME = ("allow", "must", "never")
POLICIES = ("now", "live", "end")
LEVELS = ("INFO", "WARN", "ERROR")
INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended."""
_SLACK_S = 15.0
"""How much longer than its own time the recorder is waited for."""


class Run:
    """A run that is being recorded. Made by ``init``; any thread may use it.

    In a forked process it does nothing, and says so once.
    """

    def __init__(self, settings: Settings, greeting: dict[str, Any]) -> None:
        self._settings, self._greeting = settings, greeting
        self.id: str = greeting["run_id"]
        self.name, self.url = settings.name, ""
        """What the server calls the run, and its page; empty until it has answered."""
        self.project, self.entity = settings.project, settings.entity
        self.mode: str = settings.mode
        self.stop_requested = False
        """Whether somebody asked on the web that the run stop."""
        self.config = Config(greeting["config"], lambda config: self._send("config", config))
        self.summary = Summary(lambda by_hand: self._send("summary", by_hand))
        greeting |= {"summary": self.summary.values_now, "by_hand": self.summary.by_hand}
        self._step, self._begun_at = 0, time.monotonic()
        self._lock = threading.RLock()
        self._told: set[str] = set()
        self._is_over, self._is_forked = False, False
        self._answered, self._done = threading.Event(), threading.Event()
        self._link: Link | None = None
        self._capture: Capture | None = None

    @property
    def step(self) -> int:
        """The step that is logged next."""
        return self._step

    def log(self, data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:  # noqa: FBT001 - as the SDK has it
        """Log values at a step.

        Without a step the row is whole, and the next one has the next step. With one, values that are logged to the
        same step later join the row, until a later step is logged. A step before the last one is left out, and told.

        Args:
            data: numbers, texts, truth values and None, and lists and dicts of such; numbers of numpy, torch and their
                like are taken.
            commit: whether the row is whole; None: where no step is given.

        Raises:
            TypeError: a value is none of these, or the step is no whole number.
        """
        row = plain_row(data)
        with self._lock:
            if step is not None:
                step = operator.index(step)
                if step < self._step:
                    self._say_once(
                        "step",
                        f"step {step} comes after step {self._step - 1}, so it was skipped, as all such are",
                    )
                    return
                self._step = step
            is_whole = step is None if commit is None else commit
            row["_step"] = self._step
            row["_timestamp"] = time.time()
            row["_runtime"] = time.monotonic() - self._begun_at
            self._send("row", (is_whole, row))
            self.summary.follow(row)
            self._step += is_whole

    def alert(self, title: str, text: str = "", level: str = "INFO", wait_s: float = 0.0) -> None:
        """Send an alert to whoever wants those of the run.

        Args:
            level: ``INFO``, ``WARN`` or ``ERROR``.
            wait_s: how long after one of the same title no other is sent.

        Raises:
            ValueError: there is no such level.
        """
        level = str(getattr(level, "value", level)).upper()
        check_choice("level", level, LEVELS)
        alert = {"title": str(title), "text": str(text), "level": level, "wait_s": float(wait_s)}
        self._send("alert", {**alert, "token": secrets.token_hex(16)})

    def save(
        self,
        path: str | os.PathLike[str],
        policy: str = "now",
        base_path: str | os.PathLike[str] | None = None,
    ) -> None:
        """Save files of the run.

        They are copied by the recorder, within a second or so; what matches later is saved, too, where the policy is
        ``live`` or ``end``.

        Args:
            path: a file, a folder or a pattern such as ``checkpoints/*.pt``.
            policy: ``now``: as they are; ``live``: again whenever they change; ``end``: when the run ends.
            base_path: what is left out at the beginning of the names; by default the current folder, of absolute paths
                their own.

        Raises:
            ValueError: there is no such policy, or the path is not below ``base_path``.
        """
        check_choice("policy", policy, POLICIES)
        default = Path(path).parent if Path(path).is_absolute() else "."
        base = os.path.normpath(Path.cwd() / (default if base_path is None else base_path))
        pattern = os.path.normpath(Path.cwd() / path)
        Path(pattern).relative_to(base)
        saved = (pattern, base, policy)
        self._greeting["saved"].append(saved)
        self._send("save", saved)

    def mark_preempting(self) -> None:
        """Tell that the scheduler is about to take the machine away: the run counts as preempted, not as crashed."""
        self._send("preempting", None)

    def finish(self, exit_code: int = 0) -> None:
        """End the run, and wait until all of it is on the server or the time of ``finish_timeout`` is up."""
        if self._is_over or self._is_forked:
            return
        self._is_over = True
        capture, self._capture = self._capture, None
        if capture:
            capture.close()
        if self._link:
            self._link.send("finish", int(exit_code))
            try:
                self._done.wait(self._settings.finish_timeout + _SLACK_S)
                self._link.close(_SLACK_S)
            except KeyboardInterrupt:
                tell("the recorder keeps sending in the background")
        _forget_current(self)

    def __enter__(self) -> Run:  # noqa: PYI034 - Self came with Python 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish(_exit_code_of(error))

    def __repr__(self) -> str:
        return f"<Run {self.name or self.id} of {self.project}>"

    def _begin(self) -> None:
        """Start the recorder, and wait a while for what the server says of the run."""
        try:
            self._link = Link(self._greeting, on_event=self._take, on_tick=self._tick)
        except OSError as error:
            tell(f"no recorder can be started, so nothing is recorded: {error}")
            return
        if self._settings.console and not self._greeting["joins"]:
            self._capture = Capture(lambda line: self._send("line", tuple(line)))
        self._answered.wait(self._settings.begin_timeout)
        if not self.url and self._greeting["continues"]:
            tell("the server did not say which step comes next, so steps begin at 0")

    def _send(self, kind: str, content: Any) -> None:
        if self._is_forked and kind != "line":
            self._say_once(
                "fork", "this process was forked from the one that records; what it logs is ignored"
            )
        elif self._is_over and kind not in {"line", "finish"}:
            self._say_once("over", "the run has ended; what is logged now is ignored")
        elif self._link:
            self._link.send(kind, content)

    def _tick(self) -> None:
        if self._capture:
            self._capture.tick()

    def _take(self, kind: str, content: Any) -> None:
        """Take an event of the recorder, in the link's thread."""
        if kind == "begun":
            self.name, self.url = content["display_name"], content["url"]
            self.entity, self.project = content["entity"], content["project"]
            with self._lock:
                if not self.summary.values_now:  # nothing was logged yet
                    self._step = max(self._step, content["next_step"])
        elif kind == "say":
            self._say(content)
        elif kind == "stop":
            self._stop()
            return
        elif kind == "done":
            self._done.set()
        self._answered.set()

    def _stop(self) -> None:
        self.stop_requested = True
        if self._settings.interrupt_on_stop and not self._is_over:
            self._say("the run was stopped on the web")
            main = threading.main_thread().ident
            if main is not None:
                signal.pthread_kill(main, signal.SIGINT)  # a sleeping main thread wakes up, too

    def _say(self, text: str) -> None:
        capture = self._capture
        if capture:
            capture.say(text)
        else:
            tell(text)

    def _say_once(self, topic: str, text: str) -> None:
        if topic not in self._told:
            self._told.add(topic)
            self._say(text)

    def _let_go(self) -> None:
        """Do nothing from now on, in a process that was forked from ours."""
        self._is_forked, self._lock = True, threading.RLock()
        if self._capture:
            self._capture.release()
            self._capture = None
        if self._link:
            self._link.forget()


class _Exit:
    """Knows with which code the program ends: an exception that nobody caught, or ``sys.exit``."""

    def __init__(self) -> None:
        self.code = 0
        self._old_hook, self._old_exit = sys.excepthook, sys.exit
        sys.excepthook, sys.exit = self._hook, self._exit
        atexit.register(self._end)

    def _hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self.code = _exit_code_of(error)
        self._old_hook(kind, error, trace)

    def _exit(self, code: Any = None, /) -> NoReturn:
        self.code = _exit_code_of(SystemExit(code))
        self._old_exit(code)

    def _end(self) -> None:
        if _current:
            _current.finish(self.code)


_current: Run | None = None
_exit: _Exit | None = None


def init(
    project: str | None = None,
    *,
    entity: str | None = None,
    config: Any = None,
    name: str | None = None,
    id: str | None = None,  # noqa: A002 - as the SDK has it
    group: str | None = None,
    job_type: str | None = None,
    tags: Sequence[str] | None = None,
    notes: str | None = None,
    mode: str | None = None,
    resume: str | None = None,
    console: bool | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Run:
    """Begin a run; one that is going on is finished first.

    What is not given is taken from the environment (``RUNYARD_PROJECT``) and the file of settings. In a command
    that ``runyard-agent run`` wraps, the run is the command's, and is recorded from outside already: console,
    hardware and end are not this program's matter.

    Args:
        config: a dict, or an object with attributes such as argparse makes.
        id: of the run; an existing run continues after its last step.
        mode: ``online``; ``offline``, which only records; ``disabled``, which does nothing at all.
        resume: ``allow``, ``must`` be there already, or ``never``.
        console: whether what is printed is recorded.
        settings: any others, by name.

    Raises:
        SettingsError: a setting can't be used.
        ValueError: there is no such ``resume``.
    """
    global _current  # noqa: PLW0603 - the run that the functions of the module mean
    check_choice("resume", resume or "allow", RESUME)
    if _current:
        _current.finish()
    given = {
        "project": project,
        "entity": entity,
        "name": name,
        "run_id": id,
        "group": group,
        "job_type": job_type,
        "notes": notes,
        "mode": mode,
        "console": console,
        "tags": None if tags is None else list(tags),
    }
    flags = {**(settings or {}), **{key: value for key, value in given.items() if value is not None}}
    found = load(flags)
    _current = Run(found, first_frame(found, flags, config, resume))
    if found.mode != "disabled":
        _watch_exit()
        _current._begin()
    return _current


def current() -> Run:
    """Return the run that is going on.

    Raises:
        RuntimeError: there is none.
    """
    if _current is None:
        raise RuntimeError("no run is active: call init() first")
    return _current


def log(data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:  # noqa: FBT001 - as Run.log
    """Log values to the current run, as ``Run.log``."""
    current().log(data, step, commit)


def alert(title: str, text: str = "", level: str = "INFO", wait_s: float = 0.0) -> None:
    """Send an alert of the current run, as ``Run.alert``."""
    current().alert(title, text, level, wait_s)


def save(
    path: str | os.PathLike[str], policy: str = "now", base_path: str | os.PathLike[str] | None = None
) -> None:
    """Save files of the current run, as ``Run.save``."""
    current().save(path, policy, base_path)


def finish(exit_code: int = 0) -> None:
    """End the current run; without one nothing happens."""
    if _current:
        _current.finish(exit_code)


def _watch_exit() -> None:
    global _exit  # noqa: PLW0603 - hooks of the interpreter, once
    if _exit is None:
        _exit = _Exit()


def _forget_current(run: Run) -> None:
    global _current  # noqa: PLW0603 - as in init
    if _current is run:
        _current = None


def _exit_code_of(error: BaseException | None) -> int:
    """Return the exit code of a program that ends with an exception."""
    if error is None:
        return 0
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, SystemExit):
        return (error.code or 0) if isinstance(error.code, (int, type(None))) else 1
    return 1


def _after_fork() -> None:
    if _current:
        _current._let_go()


os.register_at_fork(after_in_child=_after_fork)
