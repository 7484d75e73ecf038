"""The words of a page as people meet them, and which of them are still English."""

import re
from html.parser import HTMLParser

from babel.messages import Catalog

SPOKEN = {"alt", "aria-label", "aria-roledescription", "label", "placeholder", "title"}
"""Attributes whose text people see or hear."""
UNSPOKEN = {"code", "kbd", "pre", "script", "style", "svg"}
SOMEBODYS = ("translate", "no")
"""Marks a name that somebody gave, which may be what a message is, too."""
VOID = {"br", "hr", "img", "input", "link", "meta", "source", "use", "wbr"}


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []
        """Tags, and whether what is in them is left out."""

    def _spoken(self, attrs: list[tuple[str, str | None]]) -> None:
        if SOMEBODYS in attrs:
            return
        if not any(is_left_out for _tag, is_left_out in self._open if _tag not in UNSPOKEN):
            self.found += [value for name, value in attrs if name in SPOKEN and value]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._spoken(attrs)
        if tag not in VOID:
            says_english = tag != "html" and ("lang", "en") in attrs  # as the documentation for programs does
            self._open.append((tag, tag in UNSPOKEN or says_english or SOMEBODYS in attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._spoken(attrs)

    def handle_endtag(self, tag: str) -> None:
        if any(tag == other for other, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not any(is_left_out for _, is_left_out in self._open):
            self.found.append(data)


def words_of(html: str) -> list[str]:
    """Return the texts of a page, those that scripts will show too, with single blanks."""
    reader = _Words()
    reader.feed(html)
    return [text for text in (re.sub(r"\s+", " ", found).strip() for found in reader.found) if text]


def leftovers(html: str, catalog: Catalog) -> set[str]:
    """Return the texts of a page that the catalogue says otherwise.

    Words in small letters alone are left out: logged names may be "number" or "time", too.
    """
    english = {
        message.id
        for message in catalog
        if isinstance(message.id, str) and message.id[:1].isupper() and message.string != message.id
    }
    return english.intersection(words_of(html))
