"""The beginning of a text file as pages show it: decoded, JSON laid out, what looks like a secret masked."""

import json
from dataclasses import dataclass

from common.formats.lenient_json import clean_tree, read_lenient
from runs.secrets.masking import mask, mask_tree
from storage.contents.openable import Openable

PREVIEW_BYTES = 256 * 1024
_MOST_LAID_OUT = 8 * PREVIEW_BYTES
_LAYOUT = json.JSONEncoder(indent=2, ensure_ascii=False)
_LANGUAGES = {
    "py": "python", "pyi": "python", "json": "json", "ipynb": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml",
    "sh": "shell", "bash": "shell", "js": "script", "jsx": "script", "ts": "script", "tsx": "script", "c": "script",
    "cc": "script", "cpp": "script", "hpp": "script", "cu": "script", "cuh": "script", "h": "script", "java": "script",
    "rs": "script", "go": "script", "patch": "diff", "diff": "diff", "md": "markdown", "ini": "toml", "cfg": "toml",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextPreview:
    """What is shown of a text file."""

    text: str
    language: str
    """As `assets/ts/run/highlight.ts` names it; "" for none."""
    is_cut: bool
    """Whether the file goes on after the text."""


def language_of(name: str) -> str:
    """Return what a file of this name is highlighted as, "" for plain text."""
    return _LANGUAGES.get(name.rpartition(".")[2].lower(), "")


def read_text_preview(content: Openable, *, name: str, size_bytes: int, revealed: bool) -> TextPreview | None:
    """Return the first `PREVIEW_BYTES` of a file, secrets masked unless ``revealed``; None if it is no text.

    Raises:
        FileNotFoundError: there is no such content.
    """
    with content.open("rb") as file:
        head = file.read(PREVIEW_BYTES)
    if b"\x00" in head:
        return None
    text, language, is_cut = head.decode("utf-8", errors="replace"), language_of(name), size_bytes > len(head)
    if language == "json" and not is_cut:
        text = _pretty(text, revealed=revealed)
    return TextPreview(text if revealed else mask(text), language, is_cut)


def _pretty(text: str, *, revealed: bool) -> str:
    """Lay JSON out, with what its keys name as secrets masked; other texts stay as they are."""
    try:
        tree = clean_tree(read_lenient(text))
    except ValueError:
        return text
    laid_out = _LAYOUT.iterencode(tree if revealed else mask_tree(tree)[0])
    parts, length = [], 0
    for part in laid_out:
        parts.append(part)
        length += len(part)
        if length > _MOST_LAID_OUT:  # deep nesting is mostly blanks
            return text
    return "".join(parts)
