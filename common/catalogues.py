"""Catalogues of translations: `python -m common.catalogues messages` reads the source, `compile` makes the .mo.

Babel does both, so that no machine needs GNU gettext. Django's settings are not read: this runs in `make` alone.
"""

import json
import os
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("ja", "ko")
WITHOUT_WORDS = {"bench", "demo", "migrations", "tests"}
"""Folders whose words nobody reads on a page."""
TABLES = {"metrics/hardware/hardware.json": ("title", "group", "text")}
"""Files with rows of which some columns are words for people."""

Spec = tuple[int | tuple[int, str], ...]
_PLAIN: Spec | None = None
_PLURAL: Spec = (1, 2)
_CONTEXT: Spec = ((1, "c"), 2)
_BOTH: Spec = ((1, "c"), 2, 3)
KEYWORDS: dict[str, Spec | None] = {
    "_": _PLAIN, "gettext": _PLAIN, "gettext_lazy": _PLAIN, "gettext_noop": _PLAIN,
    "ngettext": _PLURAL, "ngettext_lazy": _PLURAL, "pgettext": _CONTEXT, "pgettext_lazy": _CONTEXT,
    "npgettext": _BOTH, "npgettext_lazy": _BOTH,
}  # fmt: skip


def path_of(language: str) -> Path:
    """Return where the translations into ``language`` are kept."""
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def sources(root: Path = ROOT) -> Iterator[Path]:
    """Yield the templates and modules that hold words for people, sorted."""
    yield from sorted(path for path in (root / "templates").rglob("*") if path.suffix in (".html", ".txt"))
    for package in sorted(root.glob("*/__init__.py")):
        modules = sorted(package.parent.rglob("*.py"))
        yield from (path for path in modules if WITHOUT_WORDS.isdisjoint(path.relative_to(root).parent.parts))


def python_of(path: Path) -> str:
    """Return the Python that Babel reads: a template in brackets, since its lines are indented at will."""
    text = path.read_text()
    return text if path.suffix == ".py" else f"({templatize(text)}\n)"


def words_of_tables(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Yield (file, message) of the words that lie in tables, not in code."""
    for name, columns in TABLES.items():
        path = root / name
        for row in json.loads(path.read_text()) if path.exists() else ():
            yield from ((path, row[column]) for column in columns if row[column])


def extracted(root: Path = ROOT) -> Catalog:
    """Return every message of the source; its places are files without lines, which would change daily."""
    catalog = Catalog(fuzzy=False)
    for path, word in words_of_tables(root):
        catalog.add(word, locations=[(path.relative_to(root).as_posix(), None)])  # type: ignore[list-item]  # as below
    for path in sources(root):
        place = [(path.relative_to(root).as_posix(), None)]
        for _line, message, _comments, context in extract(
            "python", BytesIO(python_of(path).encode()), keywords=KEYWORDS, options={"encoding": "utf-8"}
        ):
            catalog.add(message, locations=place, context=context)  # type: ignore[arg-type]  # None is no line
    return catalog


def read_catalogue(language: str) -> Catalog:
    """Return the catalogue of ``language`` as it lies in the repository."""
    path = path_of(language)
    if not path.exists():
        return Catalog(locale=language, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str, found: Catalog) -> Catalog:
    """Return the catalogue of ``language`` for what was found: translations stay, unused ones go, none is guessed."""
    old = read_catalogue(language)
    new = Catalog(
        locale=language, project="Runyard", fuzzy=False,
        header_comment="# Runyard in another language; docs/develop/languages.md has its terms and its tone.",
        creation_date=old.creation_date, revision_date=old.revision_date,
    )  # fmt: skip
    for message in found:
        if not message.id:
            continue
        before = old.get(message.id, message.context)
        is_same = before is not None and not before.fuzzy and before.pluralizable == message.pluralizable
        known = before.string if before is not None and is_same else None
        new.add(message.id, known, message.locations, message.flags, context=message.context)
    return new


def po_of(catalog: Catalog) -> bytes:
    """Return the file of a catalogue, sorted by message so that two branches seldom touch the same lines."""
    buffer = BytesIO()
    write_po(buffer, catalog, width=110, sort_output=True, include_lineno=False, ignore_obsolete=True)
    return buffer.getvalue()


def update() -> Iterator[str]:
    """Bring both catalogues up to date with the source; yield what a translator has left to do."""
    found = extracted()
    for language in LANGUAGES:
        catalog = updated(language, found)
        path_of(language).parent.mkdir(parents=True, exist_ok=True)
        path_of(language).write_bytes(po_of(catalog))
        missing = sum(not all(strings_of(message)) for message in catalog if message.id)
        yield f"{language}: {len(catalog)} messages, {missing} to translate"


def strings_of(message: Message) -> tuple[str, ...]:
    """Return the translations of a message: one, or as many as the language has plurals."""
    string = message.string or ""
    return (string,) if isinstance(string, str) else tuple(string)


def compile_all() -> None:
    """Write the .mo files that Django reads; each appears whole, since a server may be reading it."""
    for language in LANGUAGES:
        target = path_of(language).with_suffix(".mo")
        draft = target.with_suffix(f".{os.getpid()}")
        with draft.open("wb") as file:
            write_mo(file, read_catalogue(language))
        draft.replace(target)


def main(word: str) -> None:
    """Do what ``make`` asks for."""
    if word == "messages":
        sys.stdout.writelines(f"{line}\n" for line in update())
    compile_all()


if __name__ == "__main__":
    main(*sys.argv[1:])
