"""Filters of artifact events: the alias or tag that was given or taken away, as the SDK's `ArtifactEvent` asks.

What `Event.data` holds of them: ``event``; ``collection`` and ``version``, their keys, the latter unless only the
collection changed; ``author`` and ``author_id`` of the change; ``alias`` or ``tag``; ``path`` of the page; and the
variables of payloads: ``artifact_collection_name``, ``artifact_version_string``, ``artifact_metadata.KEY`` and more.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import re2
from django.db.models import Value
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.errors import Invalid
from common.formats.lenient_json import clean_tree
from runs.query.conditions import All, Compare, Condition, Not, Operator, Some
from runs.query.mongo import read_filters
from runs.query.regex import Matches

FIELDS = ("alias", "tag")
_SENTENCES = {
    "CREATE_ARTIFACT": gettext_lazy("%(artifact)s was created."),
    "ADD_ARTIFACT_ALIAS": gettext_lazy("%(artifact)s got the alias “%(alias)s”."),
    "ADD_ARTIFACT_TAG": gettext_lazy("%(artifact)s got the tag “%(tag)s”."),
    "REMOVE_ARTIFACT_TAG": gettext_lazy("%(artifact)s lost the tag “%(tag)s”."),
    "ADD_COLLECTION_TAG": gettext_lazy("The collection %(artifact)s got the tag “%(tag)s”."),
    "REMOVE_COLLECTION_TAG": gettext_lazy("The collection %(artifact)s lost the tag “%(tag)s”."),
    "LINK_MODEL": gettext_lazy("%(artifact)s was linked."),
    "UNLINK_ARTIFACT": gettext_lazy("%(artifact)s was unlinked."),
}
_NO_FILTER: dict[str, Any] = {"$or": [{"$and": []}]}
"""What the SDK sends for every event."""


def _equal(value: str, wanted: Any) -> bool:
    return bool(value == wanted)


_COMPARE: dict[Operator, Callable[[str, Any], bool]] = {
    Operator.EQ: _equal,
    Operator.NE: lambda value, wanted: value != wanted,
    Operator.IN: lambda value, wanted: value in wanted,
    Operator.NOT_IN: lambda value, wanted: value not in wanted,
    Operator.EXISTS: lambda value, wanted: bool(value) is bool(wanted),
    Operator.MATCHES: lambda value, wanted: re2.search(wanted, value) is not None,
    Operator.CONTAINS: lambda value, wanted: wanted.casefold() in value.casefold(),
}


def parse_artifact_filter(tree: dict[str, Any]) -> tuple[dict[str, Any], Condition]:
    """Return the canonical filter and its condition; saved automations have it a level deeper (protocol 3.7).

    Raises:
        Invalid: another field than alias or tag, or a comparison that texts do not have.
    """
    if set(tree) == {"filter"}:
        inner = tree["filter"]
        try:
            tree = json.loads(inner) if isinstance(inner, str) else inner
        except (ValueError, RecursionError) as error:
            raise Invalid(
                _("%(name)s isn’t valid JSON: %(error)s") % {"name": "filter", "error": error}
            ) from None
    canonical = clean_tree(tree or _NO_FILTER)
    condition = read_filters(json.dumps(canonical))
    _check(condition)
    return canonical, condition


def _check(condition: Condition) -> None:
    if isinstance(condition, All | Some):
        for part in condition.parts:
            _check(part)
    elif isinstance(condition, Not):
        _check(condition.part)
    else:
        _check_one(condition)


def _check_one(compare: Compare) -> None:
    if compare.column not in FIELDS:
        raise Invalid(
            _("Artifact events have no field “%(field)s”. Available: %(known)s.")
            % {"field": compare.column, "known": ", ".join(FIELDS)}
        )
    wanted = compare.value
    if compare.operator in {Operator.IN, Operator.NOT_IN}:
        is_right = isinstance(wanted, list) and all(isinstance(one, str) for one in wanted)
    elif compare.operator is Operator.EXISTS:
        is_right = True
    else:
        is_right = compare.operator in _COMPARE and isinstance(wanted, str)
    if not is_right:
        raise Invalid(
            _("%(field)s cannot be compared with %(value)s using %(operator)s.")
            % {"field": compare.column, "operator": compare.operator.value, "value": repr(wanted)[:80]}
        )
    if compare.operator is Operator.MATCHES:
        Matches(Value(""), wanted)  # says what is wrong with a pattern


def holds(condition: Condition, event: Mapping[str, Any]) -> bool:
    """Say whether what is known of an event, by field, meets the condition."""
    if isinstance(condition, All):
        return all(holds(part, event) for part in condition.parts)
    if isinstance(condition, Some):
        return any(holds(part, event) for part in condition.parts)
    if isinstance(condition, Not):
        return not holds(condition.part, event)
    return _COMPARE[condition.operator](str(event.get(condition.column) or ""), condition.value)


def artifact_name(data: Mapping[str, Any]) -> str:
    """Return what an event is about as people write it: ``resnet:v3``, or the collection alone."""
    version = str(data.get("artifact_version_string") or "").rpartition("/")[2]
    return version or str(data.get("artifact_collection_name") or "")


def artifact_sentence(data: Mapping[str, Any]) -> str:
    """Say what happened to an artifact: ``resnet:v3 got the alias “production”.``."""
    words = {"artifact": artifact_name(data), "alias": data.get("alias", ""), "tag": data.get("tag", "")}
    return str(_SENTENCES.get(str(data.get("event")), "%(artifact)s")) % words
