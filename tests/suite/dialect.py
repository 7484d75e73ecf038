"""Which tests reach what databases do differently: the second pass runs these on another one.

Different are statements that our own code writes (not the ORM), expressions with an `as_sqlite` or `as_postgresql`,
and branches by `connection.vendor`. A test is about such code if both are of the same folder of an app (`runs/query`
and `runs/tests/query`), or of the same app if no tests are about that folder alone; others pass it on their way, as
the check of a permission. `dialect.txt` lists the tests that are. In the first pass a test that reaches such a
statement without being listed fails. An expression or a branch may be reached only once in a process, which then
remembers it, so these are added to the list where it is recorded, as by the complete pass.
"""

import fcntl
import os
import sys
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.suite.checkout import ROOT
from tests.suite.passes import CURRENT, DIALECT, Pass, can_differ, file_of, function_of

RECORD_VARIABLE = "RUNYARD_TEST_DIALECT"
"""Set, it lets tests that are not listed be added to the list, instead of failing."""
GENERAL = ("common/database/", "common/telemetry/", "common/server/")
"""What runs or watches statements that others have written."""
COMPILED = ("common/database/compiled_sql.py", "common/database/kept_queries.py")
"""What runs statements that the ORM has written."""
COMMON = {
    "artifacts/contents.py:contents_named", "artifacts/contents.py:pin", "metrics/store/store_size.py:stored_sizes",
    "usage/metering/intervals.py:_execute",
}  # fmt: skip
"""What more than fifty tests of its app reach on their way; the fifth has enough of them."""
VENDORS = ("sqlite", "postgresql")
_executed: set[str] = set()
_passed: set[str] = set()
"""Where expressions and branches are."""
_places: dict[CodeType, str] = {}


def _place_of(frame: FrameType | None) -> str:
    """Return file and function of the code that asks, not of what passes statements on; "" if it is not ours."""
    while frame is not None:
        place = _places.get(frame.f_code)
        if place is None:
            place = _places[frame.f_code] = _name(frame.f_code)
        if not place.startswith(GENERAL):
            return place
        if place.startswith(COMPILED):
            return ""
        frame = frame.f_back
    return ""


def _name(code: CodeType) -> str:
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT):
        return ""
    name = path.relative_to(ROOT)
    return "" if {".venv", "tests"} & set(name.parts) else f"{name}:{code.co_qualname}"


def _note(frame: FrameType | None, places: set[str]) -> None:
    if place := _place_of(frame):
        places.add(place)


def watch() -> None:
    """Note what this process reaches, from now on."""
    from django.db.backends.postgresql.base import DatabaseWrapper as PostgreSQL
    from django.db.backends.sqlite3.base import DatabaseWrapper as SQLite
    from django.db.backends.utils import CursorWrapper

    for name in ("execute", "executemany"):
        _note_callers(CursorWrapper, name)
    for wrapper in (SQLite, PostgreSQL):
        wrapper.vendor = _Vendor(wrapper.vendor)  # type: ignore[assignment]


def watch_expressions() -> None:
    """Note which of our own expressions are compiled; call it when all are imported."""
    from django.db.models import Lookup
    from django.db.models.expressions import BaseExpression

    waiting: list[type] = [BaseExpression, Lookup]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        for vendor in VENDORS:
            method = vars(kind).get(f"as_{vendor}")
            if method is not None and (place := _name(method.__code__)) and not place.startswith(GENERAL):
                _note_calls(kind, f"as_{vendor}", place)


def _note_callers(owner: type, name: str) -> None:
    original = getattr(owner, name)

    @wraps(original)
    def noted(*arguments: Any, **options: Any) -> Any:
        _note(sys._getframe(1), _executed)
        return original(*arguments, **options)

    setattr(owner, name, noted)


def _note_calls(owner: type, name: str, place: str) -> None:
    original = getattr(owner, name)

    @wraps(original)
    def noted(*arguments: Any, **options: Any) -> Any:
        _passed.add(place)
        return original(*arguments, **options)

    setattr(owner, name, noted)


class _Vendor:
    """The name of the vendor, which notes who asks for it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> str:
        frame = sys._getframe(1)
        if _places.get(frame.f_code) != "":  # not Django itself, which asks a thousand times in a test
            _note(frame, _passed)
        return self._name


def _subject(folder: str) -> str:
    """Return the folder whose tests are about a folder of the product: its own, if there are any, or the app's."""
    app, _, below = folder.partition("/")
    part = below.partition("/")[0]
    return f"{app}/{part}" if part and (ROOT / app / "tests" / part).is_dir() else app


def is_about(item: pytest.Item, place: str) -> bool:
    """Whether a test is about a place of the product."""
    if place in COMMON:
        return False
    subject = _subject(place.partition(":")[0].rpartition("/")[0])
    tested = file_of(item).rpartition("/")[0].replace("/tests", "", 1)
    return f"{tested}/".startswith(f"{subject}/")


def add(function: str) -> None:
    """Add a test to the list; several processes may do so at the same time."""
    with DIALECT.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        names = sorted({*file.read().splitlines(), function})
        file.seek(0)
        file.write("\n".join(names) + "\n")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Refuse a test that executes such a statement of what it is about and is not listed.

    Raises:
        AssertionError: it does; the message says how to list it.
    """
    _executed.clear()
    _passed.clear()
    yield
    if can_differ(item):
        return
    own = sorted(place for place in _executed if is_about(item, place))
    if os.environ.get(RECORD_VARIABLE):
        if own or any(is_about(item, place) for place in _passed):
            add(function_of(item))
        return
    if not own or CURRENT is Pass.SECOND:  # which runs another fifth with each commit
        return
    raise AssertionError(
        f"This test executes statements of {', '.join(own)}, but tests/suite/dialect.txt does not list it:"
        f" RUNYARD_TEST_DIALECT=1 make test ARGS={item.nodeid.partition('::')[0]} adds it."
    )
