"""Regular expressions in RE2 syntax, unanchored, as the SDK's filters mean them.

SQLite calls RE2 itself, which takes linear time whatever the pattern (Python's ``re`` does not); PostgreSQL uses its
own matcher, after RE2 has accepted the pattern.
"""

from typing import Any

import re2
from django.db.backends.signals import connection_created
from django.db.models import BooleanField, Func, TextField, Value
from django.utils.translation import gettext as _

from common.errors import Invalid

MAX_PATTERN = 1000
_FUNCTION = "runyard_matches"
_QUIET = re2.Options()
_QUIET.log_errors = False  # what people type wrongly is told to them, not to the server's log


def _search(pattern: str, text: Any) -> bool | None:
    return None if text is None else re2.search(pattern, str(text)) is not None


def add_function(connection: Any, **_: Any) -> None:
    """Give a new SQLite connection the matcher."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(_FUNCTION, 2, _search, deterministic=True)


def listen() -> None:
    """Add the function to every connection from now on."""
    connection_created.connect(add_function, dispatch_uid="runs.query.regex")


class Matches(Func):
    """Whether the pattern is found somewhere in the text.

    Raises:
        Invalid: RE2 does not accept the pattern.
    """

    output_field = BooleanField()

    def __init__(self, text: Any, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN:
            raise Invalid(
                _("A regular expression has at most %(most)s characters; this one has %(count)s.")
                % {"most": MAX_PATTERN, "count": len(pattern)}
            )
        try:
            re2.compile(pattern, _QUIET)
        except re2.error as error:
            reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
            raise Invalid(
                _("%(pattern)r is no RE2 regular expression: %(reason)s.")
                % {"pattern": pattern, "reason": reason}
            ) from None
        super().__init__(text, Value(pattern, output_field=TextField()))

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> Any:
        """Compile for SQLite."""
        text, params = compiler.compile(self.source_expressions[0])
        pattern, more = compiler.compile(self.source_expressions[1])
        return f"{_FUNCTION}({pattern}, {text})", [*more, *params]

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Any:
        """Compile for PostgreSQL."""
        text, params = compiler.compile(self.source_expressions[0])
        pattern, more = compiler.compile(self.source_expressions[1])
        return f"({text} ~ {pattern})", [*params, *more]
