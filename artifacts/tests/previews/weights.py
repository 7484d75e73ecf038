"""Files of weights as their formats describe them, written by hand."""

import json
import struct
from typing import Any

GGUF_U32, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY = 4, 6, 7, 8, 9


def safetensors(header: Any, data: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def gguf_text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf_entry(key: str, kind: int, value: bytes) -> bytes:
    return gguf_text(key) + struct.pack("<I", kind) + value


def gguf_texts(texts: list[str]) -> bytes:
    return struct.pack("<IQ", GGUF_STRING, len(texts)) + b"".join(map(gguf_text, texts))


def gguf_tensor(name: str, shape: list[int], kind: int, offset: int) -> bytes:
    return gguf_text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


def gguf(
    entries: list[bytes], tensors: list[bytes], data: bytes = b"", version: int = 3, align: int = 32
) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries)) + b"".join(entries + tensors)
    return head + b"\x00" * (-len(head) % align) + data
