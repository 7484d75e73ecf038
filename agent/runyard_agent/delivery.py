"""Brings a spool to the server: begins the run, sends what waits in order, and goes on after every failure."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple

from runyard_agent.pauses import Pauses
from runyard_agent.posts import ROWS, Acts, Post, body_of, gather
from runyard_agent.server import Ack, Begun, Refused, Server, Unreachable
from runyard_agent.spool import Spool, tell
from runyard_agent.uploads import Uploads

_POST_BYTES, _ACTS_BYTES = 4 * 2**20, 2**20
_SPACING_S = 1.0
"""Between two posts while little waits."""
_REFUSED_PAUSE_S = 180.0
"""A key may be mended."""
_DRAINING_PAUSE_S = 10.0
"""The longest pause while somebody waits for the end."""
_MOST_GAPS = 3


class Tally:
    """Counts what all deliveries of a process have sent. Thread-safe."""

    def __init__(self) -> None:
        self.samples = self.failures = 0
        self.at = 0.0
        """UTC, s, of the last post that the server took; 0 before the first."""
        self._lock = threading.Lock()

    def sent(self, samples: int) -> None:
        with self._lock:
            self.samples, self.at = self.samples + max(samples, 0), time.time()

    def failed(self) -> None:
        with self._lock:
            self.failures += 1


class _Rest(NamedTuple):
    """How long to wait (None: until woken), and whether what is appended ends it."""

    pause_s: float | None
    wakes_on_append: bool = False


class Delivery:
    """Sends a spool from a thread of its own, while others append to it.

    Args:
        heartbeat_s: a run without news gives a sign of life this often; None gives none.
        tries_again: a key that is refused is tried again, since it may be mended; who waits for the end gives up.
        on_begun: called once the server knows the run.
        on_stop: called once when somebody asked the run to stop.
        on_message: called with sentences for people; without it they go to stderr.
        tally: counts what is sent.
    """

    def __init__(
        self,
        spool: Spool,
        server: Server,
        *,
        heartbeat_s: float | None = 30.0,
        tries_again: bool = True,
        on_begun: Callable[[Begun], None] | None = None,
        on_stop: Callable[[], None] | None = None,
        on_message: Callable[[str], None] | None = None,
        tally: Tally | None = None,
    ) -> None:
        self.begun: Begun | None = None
        self.stop_requested, self.state = False, ""
        self.refused: Refused | None = None
        """Why nothing is sent, where the server said no."""
        self.failing_since: float | None = None
        """Monotonic seconds, while there is no answer."""
        is_attached = bool(spool.header.get("attached"))
        self._spool, self._server = spool, server
        self._heartbeat_s = None if is_attached else heartbeat_s
        self._tries_again, self._tally = tries_again, tally or Tally()
        self._on_begun, self._on_stop, self._say = on_begun, on_stop, on_message or tell
        self._expected, self._acts = dict.fromkeys(ROWS, 0), Acts(is_attached=is_attached)
        self._skipped = dict.fromkeys(ROWS, 0)
        self._uploads = Uploads(server, say=self._say, on_change=self._look)
        self._limit, self._gaps, self._posted_at = _POST_BYTES, 0, time.monotonic()
        self._pauses, self._not_before = Pauses(), 0.0
        self._over, self._draining, self._told = False, False, False
        self._appended, self._hurried = threading.Event(), threading.Event()
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._serve, name="runyard-delivery", daemon=True)
        spool.on_append = self._appended.set

    def start(self) -> None:
        """Begin the run and send, in the background."""
        self._thread.start()

    def waiting(self) -> dict[str, int]:
        """Return how many records of each stream the server has not confirmed."""
        return self._spool.waiting()

    def drain(self, timeout_s: float | None) -> bool:
        """Send all there is, then remove the spool and return True; False: not in this time, or the server said no."""
        if not self._draining:
            self._draining = True
            self._look()
            self._uploads.hurry()
        with self._change:
            self._change.wait_for(lambda: self._is_done() or self.refused or self._over, timeout_s)
        if not self._is_done():
            return False
        self.close()
        self._spool.remove()
        return True

    def close(self) -> None:
        """End the sending; what waits stays in the spool."""
        self._over = True
        self._look()
        self._uploads.close()
        if self._thread.ident:
            self._thread.join(2.0)  # one that waits for an answer ends with the process
        with self._change:
            self._change.notify_all()
        self._server.close()

    def _is_done(self) -> bool:
        return self.begun is not None and not any(self.waiting().values())

    def _look(self) -> None:
        """Wake the thread from any pause but one that the server wants."""
        self._hurried.set()
        self._appended.set()

    def _serve(self) -> None:
        while not self._over:
            try:
                rest = self._advance()
            except Unreachable as error:
                rest = self._fail(error)
            except Refused as error:
                rest = self._refuse(error)
            except Exception as error:  # noqa: BLE001 - a fault of ours must not end the sending for good
                rest = self._fail(Unreachable(f"{type(error).__name__}: {error}"))
            else:
                self._recover()
            with self._change:
                self._change.notify_all()
            self._wait(rest)

    def _wait(self, rest: _Rest) -> None:
        while not self._over and (left := self._not_before - time.monotonic()) > 0:
            self._hurried.wait(left)
            self._hurried.clear()
        if rest.pause_s != 0 and not self._over:
            (self._appended if rest.wakes_on_append else self._hurried).wait(rest.pause_s)
        self._hurried.clear()

    def _advance(self) -> _Rest:
        """Send the next of what waits; say how long to rest then."""
        if self.begun is None:
            self.begun = self._begin()
            if self._on_begun:
                self._on_begun(self.begun)
        self._appended.clear()  # before reading, so that nothing is overlooked
        took_acts = self._take_acts(self.begun)
        post = self._compose()
        more = self._send(self.begun, post) if post else False
        self._confirm_acts()
        if post or took_acts:
            return _Rest(0 if more or took_acts or self._draining else _SPACING_S)
        if self._heartbeat_s is None or self._spool.state.get("finished"):
            return _Rest(None, wakes_on_append=True)
        left_s = self._posted_at + self._heartbeat_s - time.monotonic()
        if left_s <= 0:
            self._send(self.begun, self._post({}, {}, is_full=False))
            left_s = self._heartbeat_s
        return _Rest(left_s, wakes_on_append=True)

    def _begin(self) -> Begun:
        """Make the run known, or find out how far an earlier process came."""
        spool, header = self._spool, self._spool.header
        begun = self._find_again()
        if begun is None:
            was_tried = bool(spool.state.get("tried"))
            spool.note(tried=True)
            try:
                begun = self._server.begin(header, is_retry=was_tried)
            except Refused:
                spool.note(tried=was_tried)
                raise
            except Unreachable as error:
                if not was_tried and not error.maybe_done:
                    spool.note(tried=False)
                raise
            spool.note(begun=begun._asdict())
        self._acts.next = spool.acknowledged()["acts"]
        return begun

    def _find_again(self) -> Begun | None:
        """Return the run that an earlier process began, and go on from what the server has of it.

        It is not begun again: that would bring an ended run back to life, and undo what was changed of it since.
        """
        if not self._spool.state.get("begun"):
            return None
        begun = Begun(**self._spool.state["begun"])
        try:
            self._expect(self._server.offsets(begun, self._spool.header["writer"]))
        except Refused as error:
            if error.status != 404:
                raise
            self._spool.note(begun=None, finished=False)  # this is another server, which is told everything
            self._spool.acknowledge(dict.fromkeys((*ROWS, "acts"), 0))
            return None
        return begun

    def _take_acts(self, run: Begun) -> bool:
        """Do what the next acts ask for, or keep it for the next post."""
        if self._uploads.is_full():
            return False
        batch = self._spool.read("acts", self._acts.next, _ACTS_BYTES)
        for number, payload in enumerate(batch.payloads, batch.first):
            act = json.loads(payload)
            if act["act"] == "alert":
                self._alert(run, {name: value for name, value in act.items() if name != "act"})
            elif act["act"] == "file":
                self._uploads.add(run, number, act["name"], Path(act["path"]))
            else:
                self._acts.take(number, act)
            self._acts.next = number + 1
        self._acts.next = max(self._acts.next, batch.end)
        return bool(batch.payloads)

    def _alert(self, run: Begun, alert: dict[str, Any]) -> None:
        try:
            self._server.alert(run, alert)
        except Refused as error:
            if error.status in {401, 403, 404, 410}:
                raise
            self._say(f"the alert {alert.get('title')!r} was not sent: {error}")

    def _compose(self) -> Post | None:
        starts = {name: max(number, self._skipped[name]) for name, number in self._expected.items()}
        batches, is_full = gather(self._spool, starts, self._limit)
        acts_left = self._acts.next < self._spool.ends()["acts"] or self._uploads.oldest() is not None
        parts = self._acts.parts(with_finish=not is_full and not acts_left)
        if (
            self._limit < _POST_BYTES and len(batches) + len(parts) > 1
        ):  # one thing at a time shows what is too large
            parts.pop("finish", None)
            batches, parts = ({}, parts) if parts else (dict([batches.popitem()]), {})
            is_full = True
        return self._post(batches, parts, is_full=is_full) if batches or parts else None

    def _post(self, batches: dict[str, Any], parts: dict[str, Any], *, is_full: bool) -> Post:
        return Post(body_of(self._spool.header, batches, self._expected, parts), batches, parts, is_full)

    def _send(self, run: Begun, post: Post) -> bool:
        """Post, and take note of the answer; True: the next one should go at once."""
        try:
            ack = self._server.stream(run, post.body)
        except Refused as error:
            if error.code == "gap":
                self._go_back(error)
            elif error.status == 413:
                self._shrink(post, error)
            else:
                raise
            return True
        stuck = [
            name
            for name, batch in post.batches.items()
            if ack.offsets[name] < batch.first + bool(batch.payloads)
        ]
        self._posted_at = time.monotonic()
        self._tally.sent(ack.offsets["system"] - self._expected["system"])
        self._expect(ack)
        self._acts.forget(post.parts)
        self._gaps = 0
        if "finish" in post.parts:
            self._spool.note(finished=True)
        if stuck:
            raise Unreachable(f"the server does not accept what was logged ({', '.join(stuck)})")
        return post.is_full

    def _expect(self, ack: Ack) -> None:
        self._expected = {name: ack.offsets[name] for name in ROWS}
        self._spool.acknowledge(self._expected)
        self.state = ack.state
        if ack.stop_requested and not self.stop_requested:
            self.stop_requested = True
            if self._on_stop:
                self._on_stop()

    def _confirm_acts(self) -> None:
        oldest, confirmed = self._uploads.oldest(), self._acts.confirmed()
        done = confirmed if oldest is None else min(oldest, confirmed)
        if done != self._spool.acknowledged()["acts"]:
            self._spool.acknowledge({"acts": done})

    def _go_back(self, error: Refused) -> None:
        """Go on from what the server has; it may have lost what it confirmed."""
        self._gaps += 1
        if self._gaps > _MOST_GAPS:
            raise Unreachable(f"the server does not say what it expects: {error.message}")
        self._expected = {name: int(error.detail["expected"][name]) for name in ROWS}

    def _shrink(self, post: Post, error: Refused) -> None:
        """Make posts smaller; a record that is too large alone is left out."""
        if not post.batches:
            raise error
        sizes = [len(payload) for batch in post.batches.values() for payload in batch.payloads]
        if len(sizes) > 1 or post.parts:
            self._limit = min(self._limit, sum(sizes)) // 2
            return
        for name, batch in post.batches.items():
            self._say(f"a record of {name} of {sum(sizes)} bytes was skipped: {error.message}")
            self._skipped[name] = batch.end

    def _fail(self, error: Unreachable) -> _Rest:
        self._tally.failed()
        if self.failing_since is None:
            self.failing_since = time.monotonic()
        elif not self._told:  # what works again at the second try is no news
            self._told = True
            self._say(f"{error.message}; what is logged waits in {self._spool.folder}")
        pause_s = self._pauses.after_failure(error.retry_after_s)
        if error.retry_after_s is not None:
            self._not_before = time.monotonic() + pause_s
            return _Rest(0)
        return _Rest(min(pause_s, _DRAINING_PAUSE_S) if self._draining else pause_s)

    def _refuse(self, error: Refused) -> _Rest:
        self._tally.failed()
        is_final = error.status not in {401, 403} or not self._tries_again
        if self.refused is None:
            self._told = True
            head = "Stopped sending" if is_final else "Not sending, and trying again every few minutes"
            self._say(
                f"{head} ({error.status}). {error.sentence} What is logged stays in {self._spool.folder}"
            )
        self.refused = error
        if is_final:
            self._over = True
            self._uploads.close()
        return _Rest(_REFUSED_PAUSE_S)

    def _recover(self) -> None:
        if self._told:
            self._say("the server accepts what is logged again")
        self._told, self.failing_since, self.refused = False, None, None
        self._pauses.reset()
