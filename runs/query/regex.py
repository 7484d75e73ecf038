"""Regular expressions in RE2 syntax, unanchored, as the SDK's filters mean them.

SQLite calls RE2 itself, which takes linear time whatever the pattern (Python's ``re`` does not); PostgreSQL uses its
own matcher, after RE2 has accepted the pattern and `runs.query.regex_dialect` has translated it.
"""

from collections.abc import Callable
from typing import Any

import re2
from django.db import DataError
from django.db.backends.signals import connection_created
from django.db.models import BooleanField, Func, TextField, Value
from django.utils.translation import gettext as _

from common.errors import Invalid
from runs.query.regex_dialect import for_postgresql

MAX_PATTERN = 1000
_FUNCTION = "runyard_matches"
_WRONG_PATTERN = "2201B"
"""PostgreSQL's SQLSTATE of it."""
_QUIET = re2.Options()
_QUIET.log_errors = False  # what people type wrongly is told to them, not to the server's log


def _search(pattern: str, text: Any) -> bool | None:
    return None if text is None else re2.search(pattern, str(text)) is not None


def prepare(connection: Any, **_: Any) -> None:
    """Give a new connection the matcher, or let it tell what its own one refuses."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(_FUNCTION, 2, _search, deterministic=True)
    elif _refusing not in connection.execute_wrappers:
        connection.execute_wrappers.append(_refusing)


def _refusing(execute: Callable[..., Any], *arguments: Any) -> Any:
    """Run a statement; a pattern that PostgreSQL alone finds wrong, or too much for it, is wrong input all the same.

    Raises:
        Invalid: as PostgreSQL says.
    """
    try:
        return execute(*arguments)
    except DataError as error:
        if getattr(error.__cause__, "sqlstate", "") != _WRONG_PATTERN:
            raise
        reason = str(error).partition("\n")[0]
        raise Invalid(
            _("This regular expression cannot be used for searching: %(reason)s.") % {"reason": reason}
        ) from error


def listen() -> None:
    """Prepare every connection from now on."""
    connection_created.connect(prepare, dispatch_uid="runs.query.regex")


class Matches(Func):
    """Whether the pattern is found somewhere in the text.

    Raises:
        Invalid: RE2 does not accept the pattern, or PostgreSQL has none that means the same.
    """

    output_field = BooleanField()

    def __init__(self, text: Any, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN:
            raise Invalid(
                _("A regular expression can have at most %(most)s characters; this one has %(count)s.")
                % {"most": MAX_PATTERN, "count": len(pattern)}
            )
        try:
            re2.compile(pattern, _QUIET)
        except re2.error as error:
            reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
            raise Invalid(
                _("“%(pattern)s” isn’t a valid RE2 regular expression: %(reason)s.")
                % {"pattern": pattern, "reason": reason}
            ) from None
        here, there = (Value(one, output_field=TextField()) for one in (pattern, for_postgresql(pattern)))
        super().__init__(text, here, there)

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> Any:
        """Compile for SQLite."""
        text, params = compiler.compile(self.source_expressions[0])
        pattern, more = compiler.compile(self.source_expressions[1])
        return f"{_FUNCTION}({pattern}, {text})", [*more, *params]

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Any:
        """Compile for PostgreSQL."""
        text, params = compiler.compile(self.source_expressions[0])
        pattern, more = compiler.compile(self.source_expressions[2])
        return f"({text} ~ {pattern})", [*params, *more]


class OneMatches(Matches):
    """Whether the pattern is found in one of the texts of a JSON list."""

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> Any:
        """Compile for SQLite."""
        texts, params = compiler.compile(self.source_expressions[0])
        pattern, more = compiler.compile(self.source_expressions[1])
        test = f"{_FUNCTION}({pattern}, json_each.value)"
        return f"EXISTS (SELECT 1 FROM json_each({texts}) WHERE {test})", [*params, *more]  # noqa: S608 - no values

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Any:
        """Compile for PostgreSQL."""
        texts, params = compiler.compile(self.source_expressions[0])
        pattern, more = compiler.compile(self.source_expressions[2])
        each = f"jsonb_array_elements_text({texts}) AS each(text)"
        return f"EXISTS (SELECT 1 FROM {each} WHERE each.text ~ {pattern})", [*params, *more]  # noqa: S608
