"""Runtime and duration in seconds as SQL, to the microsecond what `Run.runtime_s` and `Run.duration_s` say."""

from datetime import datetime
from typing import Any

from django.db.models import Case, Expression, F, FloatField, Func, Value, When
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

_Sql = tuple[str, Any]


class Elapsed(Func):
    """Seconds between two times; NULL when one of them is.

    SQLite's own ``julianday`` has milliseconds, and Django's difference is a Python function, so the whole seconds and
    the six digits after the point, as Django writes them, are taken apart.
    """

    output_field = FloatField()

    def __init__(self, since: Any, until: Any) -> None:
        super().__init__(since, until)

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for SQLite."""
        (since, first), (until, second) = (compiler.compile(one) for one in self.source_expressions)
        whole = "CAST(strftime('%%s', substr({}, 1, 19)) AS INTEGER)"  # it rounds what follows the second up
        seconds = f"{whole.format(until)} - {whole.format(since)}"
        until, since = (
            f"CAST(substr(substr({one}, 21) || '000000', 1, 6) AS INTEGER)" for one in (until, since)
        )
        sql = f"(({seconds}) * 1000000 + {until} - {since}) / 1e6"
        return f"({sql})", (*second, *first, *second, *first)

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for PostgreSQL."""
        (since, first), (until, second) = (compiler.compile(one) for one in self.source_expressions)
        return f"(EXTRACT(EPOCH FROM ({until} - {since})))::double precision", (*second, *first)


def _seconds(since: str, now: datetime) -> Expression:
    until = Coalesce(F("finished_at"), Value(now))
    return Greatest(Elapsed(F(since), until), Value(0.0), output_field=FloatField())


def runtime() -> Expression:
    """Return the seconds from start to end, or until now (RUN-3)."""
    return _seconds("started_at", timezone.now())


def duration() -> Expression:
    """Return the seconds of runtime without the pauses between an end and a resume (RUN-3)."""
    under_way = Case(
        When(active_since__isnull=False, then=_seconds("active_since", timezone.now())),
        default=Value(0.0),
        output_field=FloatField(),
    )
    return F("active_before_s") + under_way
