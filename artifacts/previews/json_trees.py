"""JSON that is no table, as the tree of values that a run's page shows of config and summary."""

from pathlib import Path

from django.utils.translation import gettext as _

from artifacts.previews.errors import MIB, UnreadablePreview
from artifacts.previews.tables.json_reader import JsonReader
from common.formats.lenient_json import clean_tree, read_lenient
from runs.run_page.value_tree import Node, nodes_of

TREE_BYTES = 2 * MIB
"""Larger ones are better shown as text."""


def has_rows(content: Path) -> bool:
    """Say whether a JSON file is a list that begins with an object, so that `open_table` reads it."""
    with JsonReader(content) as reader:
        if reader.peek() != "[":
            return False
        reader.take("[")
        return reader.peek() == "{"


def read_json_tree(content: Path, *, revealed: bool) -> list[Node]:
    """Return the values of a JSON file, secrets masked unless ``revealed``; what is no object is in one named "value".

    Raises:
        UnreadablePreview: it is no JSON, or larger than TREE_BYTES.
    """
    with content.open("rb") as file:
        text = file.read(TREE_BYTES + 1)
    if len(text) > TREE_BYTES:
        limit = _("This JSON is too large to show as a tree; the limit is %(most)s MiB.")
        raise UnreadablePreview(limit % {"most": TREE_BYTES // MIB})
    try:
        tree = clean_tree(read_lenient(text))
    except ValueError:
        raise UnreadablePreview(_("This is not valid JSON, or it is truncated.")) from None
    return nodes_of(tree if isinstance(tree, dict) else {"value": tree}, revealed=revealed)[0]
