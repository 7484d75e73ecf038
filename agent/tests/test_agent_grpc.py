"""AGT-4: the little of gRPC that TPUs need, over a real socket with frames as RFC 9113 has them."""

from __future__ import annotations

import socket
import struct
import threading

import pytest

import payloads
from runyard_agent.collecting import Failed
from runyard_agent.collectors.tpu import Tpu
from runyard_agent.grpc import Channel, NotListening
from runyard_agent.metrics import describe

SETTINGS, PING, GOAWAY = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00", b"\x00\x00\x08\x06\x00\x00\x00\x00\x00", 7


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + struct.pack("!BBI", kind, flags, stream) + payload


def message(payload):
    return struct.pack("!BI", 0, len(payload)) + payload


@pytest.fixture
def service():
    """Serve one connection with a function of (stream, request) to the bytes sent back."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(5)
    seen: list[bytes] = []
    threads = []

    def serve(answer):
        def run():
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as reader:
                assert reader.read(24) == b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                connection.sendall(SETTINGS + PING + b"12345678")
                while head := reader.read(9):
                    size, kind, stream = (
                        int.from_bytes(head[:3], "big"),
                        head[3],
                        int.from_bytes(head[5:], "big"),
                    )
                    payload = reader.read(size)
                    seen.append(bytes([kind, head[4]]))
                    if kind == 0:
                        reply = answer(stream, payload[5:])
                        if reply is None:
                            return
                        connection.sendall(reply)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    serve.seen = seen  # type: ignore[attr-defined]
    yield serve
    for thread in threads:
        thread.join(5)
    listener.close()


def test_a_sample_of_a_tpu(service, tree):
    """AGT-4: several calls on one connection; an answer in pieces, padded, with settings and pings between."""

    def answer(stream, request):
        if b"usage" not in request:
            return frame(1, 5, stream, b"\x88")  # headers alone: an error
        whole = message(payloads.TPU_USAGE)
        pieces = frame(0, 0, stream, whole[:7]) + frame(0, 8, stream, b"\x03" + whole[7:] + b"\x00" * 3)
        return frame(1, 4, stream, b"\x88") + pieces + frame(1, 5, stream, b"\x88")

    address = service(answer)
    channel = Channel(address, 5)
    assert channel.call("/x/Y", b"usage") == payloads.TPU_USAGE
    assert channel.call("/x/Y", b"usage") == payloads.TPU_USAGE
    with pytest.raises(Failed, match="refuses /x/Y"):
        channel.call("/x/Y", b"other")
    channel.close()
    assert service.seen.count(b"\x04\x01") == 1, "its settings are acknowledged"
    assert service.seen.count(b"\x06\x01") == 1, "its ping is answered"


def test_the_tags_of_a_tpu(service, tree):
    """AGT-4: memory in bytes and percent, duty cycle per device."""
    chip = "sys/bus/pci/devices/0000:00:04.0"
    root = tree({f"{chip}/vendor": "0x1ae0", f"{chip}/device": "0x0063"})
    tpu = Tpu(root=root, address=service(lambda stream, _: frame(0, 1, stream, message(payloads.TPU_USAGE))))
    tpu.start()
    reading = tpu.collect()
    assert reading["tpu.1.memoryUsageBytes"] == 4294967296
    assert reading["tpu.1.tensorcoreIdleDuration"] == 4294967296
    assert all(describe(tag) for tag in reading)


def test_metrics_that_a_tpus_library_does_not_have_are_left_out(service, tree):
    """AGT-4: which of them there are differs from release to release; none at all is a failure."""
    chip = "sys/bus/pci/devices/0000:00:04.0"
    root = tree({f"{chip}/vendor": "0x1ae0", f"{chip}/device": "0x0063"})

    def of(*known):
        def answer(stream, request):
            if not any(name in request for name in known):
                return frame(1, 5, stream, b"\x88")
            return frame(0, 1, stream, message(payloads.TPU_USAGE))

        tpu = Tpu(root=root, address=service(answer))
        tpu.start()
        return tpu

    assert set(of(b"usage", b"idle_duration").collect()) == {
        f"tpu.{device}.{metric}"
        for device in (0, 1)
        for metric in ("memoryUsageBytes", "tensorcoreIdleDuration")
    }
    with pytest.raises(Failed, match="reports nothing"):
        of().collect()


@pytest.mark.parametrize("last", [None, frame(GOAWAY, 0, 0, b"\x00" * 8), frame(3, 0, 1, b"\x00" * 4)])
def test_a_connection_that_breaks_is_a_failure(service, last):
    """AGT-7: closed, sent away, or reset midway."""
    channel = Channel(service(lambda *_: last), 5)
    with pytest.raises(Failed):
        channel.call("/x/Y", b"")
    channel.close()


def test_silence_has_a_limit():
    """AGT-7: a service that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        channel = Channel(f"127.0.0.1:{listener.getsockname()[1]}", 0.1)
        with pytest.raises(Failed, match="does not answer"):
            channel.call("/x/Y", b"")
        channel.close()
    with pytest.raises(NotListening):
        Channel("127.0.0.1:1", 1)
