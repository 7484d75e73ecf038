"""The three fields of the editor that choose runs, and the one run filter they are stored as (protocol 3.7)."""

import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from common.errors import Invalid
from runs.query.conditions import All, Compare, Condition, Operator
from runs.query.expression import read_expression, write_expression
from runs.query.mongo import as_filters, read_filters

_USERS = frozenset({"user", "username"})
_NAME = "display_name"


@dataclass(frozen=True, slots=True)
class ChosenRuns:
    """Which runs an automation is about, as the editor asks it."""

    user: str = ""
    name: str = ""
    """A regular expression."""
    expression: str = ""

    @property
    def is_all(self) -> bool:
        """Whether every run is meant."""
        return not (self.user or self.name or self.expression)

    def written(self) -> str:
        """Return it as one expression, for people."""
        return write_expression(self._condition())

    def stored(self) -> str:
        """Return it as event filters hold it: JSON that begins with ``$and``.

        Raises:
            ExpressionError: the expression cannot be read.
        """
        filters = as_filters(self._condition())
        return json.dumps(filters if list(filters) == ["$and"] else {"$and": [filters] if filters else []})

    def _condition(self) -> Condition:
        parts: list[Condition] = []
        if self.user:
            parts.append(Compare("user", Operator.EQ, self.user))
        if self.name:
            parts.append(Compare(_NAME, Operator.MATCHES, self.name))
        if self.expression.strip():
            parts.append(read_expression(self.expression))
        return parts[0] if len(parts) == 1 else All(tuple(parts))


def chosen_runs(stored: Any) -> ChosenRuns:
    """Return what the editor shows of a stored run filter: text of JSON, or its object.

    Raises:
        Invalid: nobody can read it.
    """
    text = stored if isinstance(stored, str) else json.dumps(stored or {})
    user = name = ""
    rest: list[Condition] = []
    for part in _parts(read_filters(text)):
        if not user and (found := _text_of(part, _USERS, Operator.EQ)):
            user = found
        elif not name and (found := _text_of(part, frozenset({_NAME}), Operator.MATCHES)):
            name = found
        else:
            rest.append(part)
    whole = rest[0] if len(rest) == 1 else All(tuple(rest))
    try:
        return ChosenRuns(user, name, write_expression(whole))
    except ValueError:
        raise Invalid(_("This run filter cannot be shown as an expression.")) from None


def _parts(condition: Condition) -> list[Condition]:
    """Return what all has to be true, brackets of brackets taken away."""
    if not isinstance(condition, All):
        return [condition]
    return [inner for part in condition.parts for inner in _parts(part)]


def _text_of(part: Condition, columns: frozenset[str], operator: Operator) -> str:
    """Return the text that one of the columns is compared with by the operator, else ""."""
    if not isinstance(part, Compare) or part.column not in columns or part.operator is not operator:
        return ""
    return part.value if isinstance(part.value, str) else ""
