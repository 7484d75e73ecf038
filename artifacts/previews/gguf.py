"""The header of a GGUF file, version 2 or 3, little endian: metadata, then names, shapes and types of tensors.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md; sizes of types as in `GGML_QUANT_SIZES` of
gguf-py/gguf/constants.py in https://github.com/ggml-org/llama.cpp.
"""

import os
import struct
from typing import BinaryIO

from django.utils.translation import gettext as _

from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.tensors import MAX_TEXT, MOST_TENSORS, Tensor, TensorListing, cut_text
from common.formats.lenient_json import clean_text
from common.formats.numbers import parse_int
from storage.contents.openable import Openable

HEADER_BYTES = 64 * MIB
"""Vocabularies lie in the header; one of 256,000 words takes 10 MiB."""
SHOWN_ITEMS = 20
"""Items of a list in the metadata that are kept."""
_MOST_ENTRIES = 10_000
_MOST_ITEMS = 2_000_000
"""Texts and lists within lists are walked one by one: a second for so many."""
_MOST_DIMENSIONS = 8
_DEEPEST = 4
_STRING, _ARRAY, _BOOL = 8, 9, 7
_NUMBERS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    _BOOL: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_ALIGNMENT = 32

_TYPES = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 36), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17),
    40: ("NVFP4", 64, 36),
}  # fmt: skip
"""Number of a type to its name, values in a block, bytes of a block."""


def read_gguf(content: Openable) -> TensorListing:
    """Return what the file's header says.

    Raises:
        UnreadablePreview: it is no such file, of another version, cut off, or its header is larger than HEADER_BYTES.
    """
    with content.open("rb") as file:
        header = _Header(file)
        if header.read(4) != b"GGUF":
            raise UnreadablePreview(_("This is not a GGUF file."))
        version = header.number("<I")
        if version not in {2, 3}:
            text = _("GGUF version %(version)s is not supported, only little-endian versions 2 and 3.")
            raise UnreadablePreview(text % {"version": version})
        tensor_count = header.count(MOST_TENSORS, _("tensors"))
        entry_count = header.count(_MOST_ENTRIES, _("metadata keys"))
        metadata = tuple((header.text(), header.value()) for _index in range(entry_count))
        placed = [_read_tensor(header) for _index in range(tensor_count)]
        _check_places(placed, header, dict(metadata).get("general.alignment", ""))
    texts = tuple((key, cut_text(value)) for key, value in metadata)
    return TensorListing.of((("version", str(version)), *texts), [tensor for _offset, tensor in placed])


class _Header:
    """Reads value after value; never further than HEADER_BYTES or the end of the file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self.place = 0
        self._item_count = 0

    def _pass(self, size: int) -> None:
        self.place += size
        if self.place > self.size:
            raise UnreadablePreview(_("The file is truncated: its header is incomplete."))
        if self.place > HEADER_BYTES:
            text = _("The header is too large; at most %(most)s MiB are supported.")
            raise UnreadablePreview(text % {"most": HEADER_BYTES // MIB})

    def read(self, size: int) -> bytes:
        self._pass(size)
        return self._file.read(size)

    def skip(self, size: int) -> None:
        self._pass(size)
        self._file.seek(self.place)

    def number(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(form, self.read(struct.calcsize(form)))[0]
        return value

    def length(self) -> int:
        return int(self.number("<Q"))

    def count(self, most: int, what: str) -> int:
        count = self.length()
        if count > most:
            text = _("The file declares %(count)s %(what)s; at most %(most)s are supported.")
            raise UnreadablePreview(text % {"count": count, "what": what, "most": most})
        return count

    def text(self) -> str:
        """Return a text, of which only the beginning is kept if it is long."""
        size = self.length()
        kept = min(size, 4 * MAX_TEXT + 4)
        text = self.read(kept).decode(errors="replace")
        self.skip(size - kept)
        return clean_text(text)

    def value(self) -> str:
        kind = int(self.number("<I"))
        return self._array(1) if kind == _ARRAY else self._plain(kind)

    def _plain(self, kind: int) -> str:
        if kind == _STRING:
            return self.text()
        if kind not in _NUMBERS:
            raise UnreadablePreview(
                _("The metadata has a value of an unknown type, %(kind)s.") % {"kind": kind}
            )
        value = self.number(_NUMBERS[kind])
        return str(value).lower() if kind == _BOOL else f"{value:.7g}" if kind == 6 else str(value)

    def _array(self, depth: int) -> str:
        """Return the first items, and how many there are if they are not all."""
        if depth > _DEEPEST:
            raise UnreadablePreview(
                _("Lists in the metadata are nested more than %(most)s levels deep.") % {"most": _DEEPEST}
            )
        kind, count = int(self.number("<I")), self.length()
        self._count_items(count if kind in {_STRING, _ARRAY} else 0)
        shown = min(count, SHOWN_ITEMS)
        items = [self._array(depth + 1) if kind == _ARRAY else self._plain(kind) for _index in range(shown)]
        self._skip_items(kind, count - shown, depth)
        rest = f", … ({count})" if count > shown else ""
        return f"[{', '.join(items)}{rest}]"

    def _count_items(self, count: int) -> None:
        self._item_count += count
        if self._item_count > _MOST_ITEMS:
            text = _("The lists in the metadata have more than %(most)s strings and lists.")
            raise UnreadablePreview(text % {"most": _MOST_ITEMS})

    def _skip_items(self, kind: int, count: int, depth: int) -> None:
        if kind in _NUMBERS:
            self.skip(count * struct.calcsize(_NUMBERS[kind]))
            return
        for _index in range(count):
            if kind == _ARRAY:
                self._array(depth + 1)
            else:
                self.skip(self.length())


_Placed = tuple[int, Tensor]


def _read_tensor(header: _Header) -> _Placed:
    """Return the tensor, with where its bytes begin after the header."""
    name = header.text()
    dimension_count = int(header.number("<I"))
    if dimension_count > _MOST_DIMENSIONS:
        text = _("%(name)s has %(count)s dimensions; at most %(most)s are supported.")
        raise UnreadablePreview(text % {"name": name, "count": dimension_count, "most": _MOST_DIMENSIONS})
    shape = tuple(header.length() for _index in range(dimension_count))
    kind = int(header.number("<I"))
    dtype, block_values, block_bytes = _TYPES.get(kind, (str(kind), 1, None))
    tensor = Tensor(name, dtype, shape, None)
    if block_bytes is not None:
        if tensor.value_count % block_values:
            text = _("The shape of %(name)s does not match its type %(dtype)s.")
            raise UnreadablePreview(text % {"name": name, "dtype": dtype})
        tensor = Tensor(name, dtype, shape, tensor.value_count // block_values * block_bytes)
    return header.length(), tensor


def _check_places(placed: list[_Placed], header: _Header, alignment_text: str) -> None:
    """Let tensors pass whose bytes are all in the file."""
    alignment = parse_int(alignment_text, HEADER_BYTES) or _ALIGNMENT
    start = -(-header.place // alignment) * alignment
    for offset, tensor in placed:
        if start + offset + (tensor.size_bytes or 0) > header.size:
            raise UnreadablePreview(
                _("The file is truncated: it ends within %(name)s.") % {"name": tensor.name}
            )
