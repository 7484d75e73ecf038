"""The header of a safetensors file: eight bytes of length, then a JSON object of names, types, shapes and places.

Source: https://huggingface.co/docs/safetensors/index#format and `Metadata::validate` in safetensors/src/tensor.rs of
https://github.com/huggingface/safetensors.
"""

import os
from itertools import chain
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.tensors import MOST_TENSORS, Tensor, TensorListing, cut_text
from common.formats.lenient_json import clean_text, read_lenient
from storage.contents.openable import Openable

HEADER_BYTES = 16 * MIB
"""The format allows 100 MB; the largest header of a published model has some megabytes."""
_LENGTH_BYTES = 8
_MOST_DIMENSIONS = 64
_MOST_VALUES = 2**63
_BITS_OF_TYPE = {
    4: "F4", 6: "F6_E2M3 F6_E3M2", 8: "BOOL U8 I8 F8_E5M2 F8_E4M3 F8_E8M0", 16: "I16 U16 F16 BF16", 32: "I32 U32 F32",
    64: "I64 U64 F64 C64",
}  # fmt: skip
_BITS = dict(
    chain.from_iterable(((name, bits) for name in names.split()) for bits, names in _BITS_OF_TYPE.items())
)


def read_safetensors(content: Openable) -> TensorListing:
    """Return what the file's header says, checked against the size of the file.

    Raises:
        UnreadablePreview: it is no such file, is cut off, or its header is larger than HEADER_BYTES.
    """
    with content.open("rb") as file:
        header, data_bytes = _read_header(file)
    metadata = header.pop("__metadata__", None) or {}
    if not isinstance(metadata, dict):
        raise UnreadablePreview(_("The metadata in the header is not a JSON object."))
    if len(header) > MOST_TENSORS:
        raise UnreadablePreview(_("The file has more than %(most)s tensors.") % {"most": MOST_TENSORS})
    placed = sorted((_read_tensor(clean_text(name), said) for name, said in header.items()), key=_by_place)
    _check_places(placed, data_bytes)
    texts = tuple((clean_text(key), cut_text(clean_text(str(value)))) for key, value in metadata.items())
    return TensorListing.of(texts, [tensor for _start, _stop, tensor in placed])


_Placed = tuple[int, int, Tensor]


def _by_place(placed: _Placed) -> tuple[int, int]:
    return placed[0], placed[1]


def _read_header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """Return the header, and how many bytes follow it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    if size < _LENGTH_BYTES or length > size - _LENGTH_BYTES:
        raise UnreadablePreview(_("This is not a safetensors file, or its header is truncated."))
    if length > HEADER_BYTES:
        text = _("The header has %(size)s bytes; at most %(most)s MiB are supported.")
        raise UnreadablePreview(text % {"size": length, "most": HEADER_BYTES // MIB})
    try:
        header = read_lenient(file.read(length))
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise UnreadablePreview(_("This is not a safetensors file: its header is not a JSON object."))
    return header, size - _LENGTH_BYTES - length


def _is_list_of_counts(value: Any, most: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= most
        and all(type(item) is int and 0 <= item < _MOST_VALUES for item in value)
    )


def _read_tensor(name: str, said: Any) -> _Placed:
    """Return the tensor, with where its bytes begin and end."""
    info: dict[str, Any] = said if isinstance(said, dict) else {}
    dtype: Any = info.get("dtype")
    shape: Any = info.get("shape")
    place: Any = info.get("data_offsets")
    is_complete = (
        isinstance(dtype, str)
        and _is_list_of_counts(shape, _MOST_DIMENSIONS)
        and _is_list_of_counts(place, 2)
    )
    if not is_complete or len(place) != 2:
        text = _("The header lacks the type, shape or position of %(name)s.")
        raise UnreadablePreview(text % {"name": name})
    start, stop = place
    tensor = Tensor(name, clean_text(dtype), tuple(shape), stop - start)
    bits = _BITS.get(dtype)
    if bits is not None and tensor.value_count * bits != (stop - start) * 8:
        text = _("The size of %(name)s does not match its type and shape.")
        raise UnreadablePreview(text % {"name": name})
    return start, stop, tensor


def _check_places(placed: list[_Placed], data_bytes: int) -> None:
    """Let tensors pass that follow each other without a gap up to the end of the file."""
    end = 0
    for start, stop, tensor in placed:
        if start != end or stop < start:
            text = _("The bytes of %(name)s overlap another tensor, or there is a gap before them.")
            raise UnreadablePreview(text % {"name": tensor.name})
        end = stop
    if end != data_bytes:
        text = _("The header declares %(said)s bytes of data, but the file has %(there)s.")
        raise UnreadablePreview(text % {"said": end, "there": data_bytes})
