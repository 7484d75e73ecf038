"""Headers of files of weights, whole and damaged."""

import struct
import tempfile
import tracemalloc
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.previews import gguf as gguf_reader
from artifacts.previews import safetensors as safetensors_reader
from artifacts.previews import weights
from artifacts.previews.errors import UnreadablePreview
from artifacts.previews.gguf import read_gguf
from artifacts.previews.kinds import PreviewKind
from artifacts.previews.safetensors import read_safetensors
from artifacts.previews.tensors import Tensor
from artifacts.previews.weights import read_weights
from artifacts.tests.previews.weights import (
    GGUF_ARRAY,
    GGUF_BOOL,
    GGUF_F32,
    GGUF_STRING,
    GGUF_U32,
    gguf,
    gguf_entry,
    gguf_tensor,
    gguf_text,
    gguf_texts,
    safetensors,
)

TWO = {
    "b": {"dtype": "BF16", "shape": [3], "data_offsets": [24, 30]},
    "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
    "__metadata__": {"format": "pt"},
}
MODEL = gguf(
    [
        gguf_entry("general.architecture", GGUF_STRING, gguf_text("llama")),
        gguf_entry("llama.block_count", GGUF_U32, struct.pack("<I", 2)),
        gguf_entry("llama.rope.freq_base", GGUF_F32, struct.pack("<f", 10000)),
        gguf_entry("tokenizer.ggml.add_bos_token", GGUF_BOOL, b"\x01"),
        gguf_entry("tokenizer.ggml.tokens", GGUF_ARRAY, gguf_texts([f"w{n}" for n in range(100)])),
    ],
    [gguf_tensor("token_embd.weight", [64, 2], 8, 0), gguf_tensor("output.bias", [4], 0, 160)],
    b"\x00" * 176,
)


@pytest.fixture
def written(tmp_path: Path):
    def write(content: bytes) -> Path:
        path = tmp_path / "weights"
        path.write_bytes(content)
        return path

    return write


def test_safetensors_lists_tensors_in_the_order_of_their_bytes(written):
    listing = read_safetensors(written(safetensors(TWO, b"\x00" * 30)))
    assert listing.tensors == (Tensor("a", "F32", (2, 3), 24), Tensor("b", "BF16", (3,), 6))
    assert listing.metadata == (("format", "pt"),)
    assert (listing.parameter_count, listing.size_bytes) == (9, 30)
    assert listing.parameters_by_dtype == {"F32": 6, "BF16": 3}


def test_safetensors_of_no_tensor_and_of_one_value(written):
    assert read_safetensors(written(safetensors({}))).tensors == ()
    scalar = {"step": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]}}
    assert read_safetensors(written(safetensors(scalar, b"\x00" * 8))).parameter_count == 1


def test_safetensors_of_a_type_that_is_newer_than_the_reader(written):
    header = {"w": {"dtype": "F3_NEW", "shape": [8], "data_offsets": [0, 3]}}
    assert read_safetensors(written(safetensors(header, b"\x00" * 3))).tensors[0].size_bytes == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "truncated"),
        (struct.pack("<Q", 50) + b"{}", "truncated"),
        (struct.pack("<Q", 2**63) + b"{}", "truncated"),
        (safetensors([1]), "not a JSON object"),
        (struct.pack("<Q", 3) + b"{x}", "not a JSON object"),
        (struct.pack("<Q", 100_000) + b"[" * 100_000, "not a JSON object"),
        (safetensors({"__metadata__": [1]}), "metadata in the header"),
        (safetensors({"w": 1}), "type, shape or position of w"),
        (
            safetensors({"w": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}),
            "shape or position of w",
        ),
        (
            safetensors({"w": {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]}}),
            "shape or position of w",
        ),
        (safetensors({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0]}}), "shape or position of w"),
        (
            safetensors({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, bytes(4)),
            "The size of",
        ),
        (
            safetensors({"w": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, bytes(8)),
            "overlap another",
        ),
        (safetensors(TWO, bytes(29)), "30 bytes of data, but the file has 29"),
        (safetensors(TWO, bytes(31)), "30 bytes of data, but the file has 31"),
    ],
)
def test_safetensors_that_cannot_be_read_say_why(written, content, says):
    with pytest.raises(UnreadablePreview, match=says):
        read_safetensors(written(content))


def test_a_header_beyond_the_limit_is_not_read(written, monkeypatch):
    monkeypatch.setattr(safetensors_reader, "HEADER_BYTES", 1024 * 1024)
    path = written(struct.pack("<Q", 60_000_000))
    with path.open("r+b") as file:
        file.truncate(70_000_000)
    tracemalloc.start()
    with pytest.raises(UnreadablePreview, match="at most 1 MiB are supported"):
        read_safetensors(path)
    assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    tracemalloc.stop()


def test_gguf_lists_metadata_and_tensors(written):
    listing = read_gguf(written(MODEL))
    assert listing.tensors == (
        Tensor("token_embd.weight", "Q8_0", (64, 2), 136),
        Tensor("output.bias", "F32", (4,), 16),
    )
    metadata = dict(listing.metadata)
    assert metadata["version"] == "3"
    assert metadata["general.architecture"] == "llama"
    assert metadata["llama.rope.freq_base"] == "10000"
    assert metadata["tokenizer.ggml.add_bos_token"] == "true"
    assert metadata["tokenizer.ggml.tokens"].startswith("[w0, w1, ")
    assert metadata["tokenizer.ggml.tokens"].endswith("w19, … (100)]")


def test_gguf_of_version_2_of_another_alignment_and_of_a_newer_type(written):
    entry = gguf_entry("general.alignment", GGUF_U32, struct.pack("<I", 8))
    model = gguf([entry], [gguf_tensor("w", [5], 99, 0)], version=2, align=8)
    assert read_gguf(written(model)).tensors == (Tensor("w", "99", (5,), None),)


def test_gguf_keeps_the_beginning_of_a_long_text_and_goes_on_after_it(written):
    entries = [
        gguf_entry("template", GGUF_STRING, gguf_text("ä" * 100_000)),
        gguf_entry("after", GGUF_STRING, gguf_text("yes")),
    ]
    metadata = dict(read_gguf(written(gguf(entries, []))).metadata)
    assert metadata["template"] == "ä" * 4000 + "…"
    assert metadata["after"] == "yes"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "truncated"),
        (b"GGML" + bytes(20), "not a GGUF file"),
        (gguf([], [], version=1), "GGUF version 1 is not supported"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version 50331648 is not supported"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0), "9223372036854775808 tensors; at most 100000"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**40), "metadata keys; at most 10000"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1), "truncated"),
        (gguf([gguf_entry("k", 77, b"")], []), "unknown type, 77"),
        (gguf([gguf_entry("k", GGUF_ARRAY, struct.pack("<IQ", 0, 2**62))], []), "truncated"),
        (gguf([gguf_entry("k", GGUF_ARRAY, struct.pack("<IQ", 8, 2**62))], []), "more than 2000000 strings"),
        (gguf([gguf_entry("k", 9, struct.pack("<IQ", 9, 1) * 9)], []), "nested more than 4 levels"),
        (gguf([], [gguf_tensor("w", [1] * 9, 0, 0)]), "9 dimensions; at most 8"),
        (gguf([], [gguf_tensor("w", [33], 8, 0)], bytes(99)), "shape of w does not match its type Q8_0"),
        (MODEL[:-1], "ends within output.bias"),
    ],
)
def test_gguf_that_cannot_be_read_says_why(written, content, says):
    with pytest.raises(UnreadablePreview, match=says):
        read_gguf(written(content))


def test_a_gguf_header_beyond_the_limit_is_not_read(written, monkeypatch):
    monkeypatch.setattr(gguf_reader, "HEADER_BYTES", 1024 * 1024)
    numbers = gguf_entry("k", GGUF_ARRAY, struct.pack("<IQ", 0, 2_000_000) + bytes(2_000_000))
    with pytest.raises(UnreadablePreview, match="at most 1 MiB are supported"):
        read_gguf(written(gguf([numbers], [])))


def is_read_or_refused(read, content: bytes) -> bool:
    """Whether the content could be read; any failure but the one refusal passes through."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(content)
        try:
            read(Path(file.name))
        except UnreadablePreview:
            return False
        return True


READERS = [(read_safetensors, safetensors(TWO, b"\x00" * 30)), (read_gguf, MODEL)]


@pytest.mark.parametrize(("read", "whole"), READERS)
@given(data=st.data())
@settings(deadline=None)
def test_weights_that_are_cut_off_or_damaged_are_refused_and_nothing_else_fails(read, whole, data):
    damaged = bytearray(whole)
    for place, byte in data.draw(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4)):
        damaged[place : place + 1] = bytes([byte])
    is_read_or_refused(read, bytes(damaged))
    assert not is_read_or_refused(read, whole[: data.draw(st.integers(0, len(whole) - 1))])


@pytest.mark.parametrize("read", [read_safetensors, read_gguf])
@given(content=st.binary(max_size=200))
@settings(deadline=None)
def test_bytes_that_are_no_weights_are_refused(read, content):
    assert not is_read_or_refused(read, b"\x01" + content)


class _Remote(BytesIO):
    """Content of a bucket: what was read of it is counted."""

    count = 0

    def open(self, _mode: str = "rb", /) -> Any:
        self.seek(0)
        return self

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        self.count += len(piece)
        return piece

    def close(self) -> None:
        """It is opened again."""


@pytest.mark.parametrize(("padding", "fetched"), [(100, 2**20), (2 * 2**20, 8 * 2**20)])
def test_of_a_remote_file_as_much_is_fetched_as_its_header_needs(padding, fetched):
    header = {"__metadata__": {"padding": "x" * padding}, "a": TWO["a"]}
    content = _Remote(safetensors(header, b"\x00" * 24))
    size = len(content.getvalue())
    listing = read_weights(PreviewKind.SAFETENSORS, content, size)
    assert [tensor.name for tensor in listing.tensors] == ["a"]
    assert content.count == min(fetched, size)
    with pytest.raises(UnreadablePreview):
        read_weights(PreviewKind.GGUF, content, size)


def test_only_some_tensors_are_shown_and_all_are_counted(monkeypatch, written):
    monkeypatch.setattr(weights, "MOST_SHOWN", 1)
    path = written(safetensors(TWO, b"\x00" * 30))
    size = path.stat().st_size
    listing = weights._read(PreviewKind.SAFETENSORS, path, size, size)
    assert (len(listing.tensors), listing.tensor_count, listing.parameter_count) == (1, 2, 9)
