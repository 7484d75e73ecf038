"""uvicorn's HTTP protocol with limits it lacks: on how slowly a request comes and an answer is read, and on the head.

uvicorn times only connections that wait for a next request. One that sends a byte now and then would stay open
forever, and a head that never ends would stay in memory, as does an answer that no one reads.

It also ends otherwise: uvicorn closes idle connections at once, and a proxy that has sent a request over one at that
moment answers 502. Here requests are still answered for a while, each saying that the connection closes after it.
"""

import asyncio
import http
import json

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

CLOSE_HEADER = (b"connection", b"close")
MAX_HEAD_BYTES = 64 * 1024
LEAST_BYTES = 64 * 1024
"""What must come of an unfinished request, and must be read of an answer, in every settings.SLOW_CLIENT_S."""
_LONGEST_READS = 20
"""In so many times SLOW_CLIENT_S what was buffered at once must be read, however much it is."""


class LimitedProtocol(HttpToolsProtocol):
    """One connection. Time counts only while the client owes something, not while the server does not read on."""

    _timer: asyncio.TimerHandle | None = None
    _is_owed = True
    """Whether the rest of a request is to come; at first, its beginning."""
    _in_head = True
    _had_request = False
    _came_bytes = 0
    _head_bytes = 0
    _is_in_use = False
    """Whether a request has begun that is not answered."""
    _is_ending = False
    _reading: asyncio.TimerHandle | None = None
    """Runs while more of an answer waits to be read than the connection buffers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn's
        """Begin to watch."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch no longer."""
        self._unwatch()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Leave a WebSocket to its own protocol, which pings."""
        self._unwatch()
        super().handle_websocket_upgrade()

    def data_received(self, data: bytes) -> None:
        """Count what comes."""
        self._came_bytes += len(data)
        self._head_bytes += len(data)  # where a head begins, it begins again
        if not self._is_owed:  # an empty line, say: it stops uvicorn's own timer and begins no request
            self._is_owed = self._in_head = True
        super().data_received(data)
        is_too_long = self._in_head and self._is_owed and self._head_bytes > MAX_HEAD_BYTES
        if is_too_long and not self.transport.is_closing():
            self._refuse(431, f"The headers of a request may have at most {MAX_HEAD_BYTES} bytes.")

    def on_message_begin(self) -> None:
        """Note that a request begins."""
        self._is_owed = self._in_head = self._is_in_use = True
        self._head_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note that the head is there."""
        self._in_head = False
        before = self.cycle
        super().on_headers_complete()
        self._had_request = True
        if self._is_ending and self.cycle is not before:
            self._close_after(self.cycle)

    def on_message_complete(self) -> None:
        """Note that the request is there."""
        self._is_owed = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Note that the answer is sent."""
        self._is_in_use = False
        super().on_response_complete()

    def shutdown(self) -> None:
        """Close the connection once what is on its way over it is answered."""
        self._is_ending = True
        if self._had_request and not self.cycle.response_complete:
            self._close_after(self.cycle)
        else:
            self.loop.call_later(settings.WEB_DRAIN_S, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if not self._is_in_use:
            self.transport.close()

    def _close_after(self, cycle: RequestResponseCycle) -> None:
        """Let an answer be the last one; its client is told, unless its head is sent."""
        cycle.keep_alive = False
        if not cycle.response_started:
            cycle.scope["headers"] = [*cycle.scope["headers"], CLOSE_HEADER]

    def _watch(self) -> None:
        self._came_bytes = 0
        self._timer = self.loop.call_later(settings.SLOW_CLIENT_S, self._look)

    def _unwatch(self) -> None:
        for timer in (self._timer, self._reading):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """Begin to watch that the client reads."""
        super().pause_writing()
        if self._reading is not None:
            self._reading.cancel()
        self._watch_reading()

    def resume_writing(self) -> None:
        """Watch no longer: it has read."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()

    def _watch_reading(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        wanted = max(LEAST_BYTES, waiting // _LONGEST_READS)
        self._reading = self.loop.call_later(settings.SLOW_CLIENT_S, self._look_at_reading, waiting - wanted)

    def _look_at_reading(self, most: int) -> None:
        if self.transport.get_write_buffer_size() > most:
            self.transport.abort()
        else:
            self._watch_reading()

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        is_fine = not self._is_owed or self._came_bytes >= LEAST_BYTES or self.flow.read_paused
        if is_fine or self._is_answering():
            self._watch()
        elif self._in_head or not self.cycle.response_started:
            limit = f"{LEAST_BYTES} bytes in {settings.SLOW_CLIENT_S} s (setting RUNYARD_SLOW_CLIENT_S)"
            self._refuse(408, f"The request came too slowly: less than {limit}.")
        else:  # refused long ago, and what it still sends is thrown away
            self.transport.close()

    def _is_answering(self) -> bool:
        """Whether an answer is under way, which must not be cut."""
        if not self._had_request or self.cycle.response_complete:
            return False
        return self.cycle.response_started or self._in_head

    def _refuse(self, status: int, message: str) -> None:
        code = http.HTTPStatus(status).phrase.lower().replace(" ", "_")
        error = {"code": code, "message": message, "detail": None}
        body = json.dumps({"error": error, "errors": [{"message": message}]}).encode()
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        if not self._is_answering():
            self.transport.write(STATUS_LINE[status] + head.encode() + body)
        self.transport.close()
