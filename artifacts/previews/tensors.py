"""What the header of a file of weights says: `artifacts.previews.safetensors` and `artifacts.previews.gguf` read it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Self

MOST_TENSORS = 100_000
"""More are in no known model's single file; each costs half a kilobyte to hold."""
MAX_TEXT = 4000
"""Characters of a value of the metadata that are kept."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor, without its values."""

    name: str
    dtype: str
    """As the format names it: F32, BF16, Q4_K."""
    shape: tuple[int, ...]
    """In the order of the file; GGUF has the fastest changing dimension first, safetensors last."""
    size_bytes: int | None
    """None for a type whose size we do not know."""

    @property
    def value_count(self) -> int:
        """How many values it has; one that has no dimensions has one."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class TensorListing:
    """What a file of weights contains."""

    metadata: tuple[tuple[str, str], ...]
    """Keys and values as text, in the order of the file; long values are cut."""
    tensors: tuple[Tensor, ...]
    """In the order of the file."""
    tensor_count: int
    parameter_count: int
    """How many values all tensors have."""
    size_bytes: int
    """How many bytes the values take, of the tensors whose size is known."""
    parameters_by_dtype: dict[str, int]
    """How many values each type has, most first."""

    @classmethod
    def of(cls, metadata: tuple[tuple[str, str], ...], tensors: Sequence[Tensor]) -> Self:
        """Add up the tensors."""
        counts: Counter[str] = Counter()
        for tensor in tensors:
            counts[tensor.dtype] += tensor.value_count
        return cls(
            metadata,
            tuple(tensors),
            len(tensors),
            counts.total(),
            sum(tensor.size_bytes or 0 for tensor in tensors),
            dict(counts.most_common()),
        )


def cut_text(text: str) -> str:
    """Return a value of the metadata, cut if it is long."""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
