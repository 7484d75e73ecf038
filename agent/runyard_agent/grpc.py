"""Just enough gRPC for one unary call after the other on the local host: no dependency of 15 MB for three numbers.

HTTP/2 without TLS (RFC 9113), headers as literals (RFC 7541, 6.2.2). The server's headers are not decoded: an answer
without a message is an error, whatever its status says.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Union

from runyard_agent.collecting import Failed

_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _GOAWAY, _WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
_END_STREAM = _ACK = 1
_END_HEADERS = 4
_PADDED = 8
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_WINDOW = 2**24
_INITIAL_WINDOW_SIZE = 4

Field = tuple[int, Union[int, float, bytes]]


class NotListening(Failed):
    """Nobody has opened the service."""


class NotServed(Failed):
    """The service is there, and does not know what was asked."""


class Channel:
    """A connection to a gRPC server, used by one thread.

    Args:
        address: ``host:port``.

    Raises:
        NotListening: nobody does there.
    """

    def __init__(self, address: str, timeout_s: float) -> None:
        host, _, port = address.rpartition(":")
        try:
            self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout_s)
        except (OSError, ValueError) as error:
            raise NotListening(f"nothing answers at {address}: {error}") from None
        self._authority = address
        self._next_stream = 1
        self._received = b""
        settings = struct.pack("!HI", _INITIAL_WINDOW_SIZE, _WINDOW)
        window = struct.pack("!I", _WINDOW)
        self._socket.sendall(
            _PREFACE + _frame(_SETTINGS, 0, 0, settings) + _frame(_WINDOW_UPDATE, 0, 0, window)
        )

    def call(self, method: str, message: bytes) -> bytes:
        """Return the message with which a method (``/package.Service/Method``) answers.

        Raises:
            NotServed: it answers without one.
            Failed: it does not answer in time.
        """
        stream, self._next_stream = self._next_stream, self._next_stream + 2
        headers = _headers(
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", self._authority),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
        )
        body = struct.pack("!BI", 0, len(message)) + message
        try:
            self._socket.sendall(
                _frame(_HEADERS, _END_HEADERS, stream, headers) + _frame(_DATA, _END_STREAM, stream, body)
            )
            answer = self._answer(stream)
        except OSError as error:
            raise Failed(f"{self._authority} does not answer: {error}") from None
        if len(answer) < 5 or answer[0] or len(answer) < 5 + struct.unpack("!I", answer[1:5])[0]:
            raise NotServed(f"{self._authority} refuses {method}")
        return answer[5 : 5 + struct.unpack("!I", answer[1:5])[0]]

    def close(self) -> None:
        self._socket.close()

    def _answer(self, stream: int) -> bytes:
        """Return the data of a stream once it has ended."""
        data = b""
        while True:
            kind, flags, of_stream, payload = self._frame()
            if kind == _SETTINGS and not flags & _ACK:
                self._socket.sendall(_frame(_SETTINGS, _ACK, 0, b""))
            elif kind == _PING and not flags & _ACK:
                self._socket.sendall(_frame(_PING, _ACK, 0, payload))
            elif kind == _GOAWAY or (kind == _RESET and of_stream == stream):
                raise Failed(f"{self._authority} broke off")
            elif of_stream == stream and kind in (_DATA, _HEADERS):
                if kind == _DATA:
                    data += payload[1 : -payload[0] or None] if flags & _PADDED and payload else payload
                if len(data) > _WINDOW:
                    raise Failed(f"{self._authority}'s answer is too large")
                if flags & _END_STREAM:
                    return data

    def _frame(self) -> tuple[int, int, int, bytes]:
        head = self._exactly(9)
        size = int.from_bytes(head[:3], "big")
        stream = int.from_bytes(head[5:9], "big") & 0x7FFFFFFF
        return head[3], head[4], stream, self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        while len(self._received) < size:
            more = self._socket.recv(65536)
            if not more:
                raise Failed(f"{self._authority} closed the connection")
            self._received += more
        taken, self._received = self._received[:size], self._received[size:]
        return taken


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + struct.pack("!BBI", kind, flags, stream) + payload


def _headers(*pairs: tuple[str, str]) -> bytes:
    """Return headers as literals never indexed; all of ours are shorter than 127."""
    return b"".join(
        b"\x10" + b"".join(bytes([len(text)]) + text.encode("ascii") for text in pair) for pair in pairs
    )


def string_field(number: int, value: str) -> bytes:
    """Return a message field of text shorter than 128 bytes."""
    text = value.encode("utf-8")
    return bytes([number << 3 | 2, len(text)]) + text


def fields(message: bytes) -> Iterator[Field]:
    """Return a message's fields by number: integers, doubles, or the bytes of a text or a nested message.

    Raises:
        Failed: it is no message.
    """
    at = 0
    try:
        while at < len(message):
            key, at = _varint(message, at)
            number, kind = key >> 3, key & 7
            if kind == 0:
                value, at = _varint(message, at)
                yield number, value - 2**64 if value >= 2**63 else value
            elif kind == 1:
                yield number, struct.unpack_from("<d", message, at)[0]
                at += 8
            elif kind == 2:
                size, at = _varint(message, at)
                if at + size > len(message):
                    raise Failed("a message is incomplete")
                yield number, message[at : at + size]
                at += size
            elif kind == 5:
                at += 4
            else:
                raise Failed("this is not a valid message")
    except (IndexError, struct.error):
        raise Failed("a message is incomplete") from None


def nested(message: bytes, number: int) -> Iterator[bytes]:
    """Return the nested messages of a field."""
    return (value for found, value in fields(message) if found == number and isinstance(value, bytes))


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
