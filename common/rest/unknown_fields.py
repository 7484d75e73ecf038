"""What is said of a name that nothing has: which it may have meant, and which there are."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.fields import Field

_MOST_SHOWN = 80


def unknown_name_message(name: str, known: Iterable[str], kind: str) -> str:
    """Say that there is no such ``kind``, the nearest one where one is near, and those that there are."""
    there = sorted(known)
    message = f"There is no {kind} {name[:_MOST_SHOWN]!r} here."
    near = get_close_matches(name, there, n=1)
    if near:
        message += f" Did you mean {near[0]!r}?"
    return f"{message} It takes: {', '.join(there)}." if there else f"{message} It takes none."


def check_fields(serializer: serializers.Serializer[Any], data: Any) -> None:
    """Refuse a body with fields that the serializer does not read; those it has may be left out as it says.

    Raises:
        ValidationError: which, and which there are.
    """
    if isinstance(data, QueryDict) or not isinstance(data, Mapping):
        return  # `access.rest.query_parameters` checks query strings; the serializer refuses what is no object
    problems = _unknown(serializer, data)
    if problems:
        raise serializers.ValidationError(problems)


def _unknown(serializer: serializers.Serializer[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: field for name, field in serializer.fields.items() if not field.read_only}
    found: dict[str, Any] = {
        str(name): [unknown_name_message(str(name), fields, "field")] for name in data if name not in fields
    }
    for name, field in fields.items():
        inner = _inside(field)
        given = data.get(name)
        for each in given if isinstance(given, list) else [given]:
            if inner is not None and isinstance(each, Mapping):
                found |= {f"{name}.{key}": words for key, words in _unknown(inner, each).items()}
    return found


def _inside(field: Field[Any, Any, Any, Any]) -> serializers.Serializer[Any] | None:
    """Return what the objects in a field are read by, None where it takes anything."""
    child = getattr(field, "child", field)
    return child if isinstance(child, serializers.Serializer) else None


def error_sentences(detail: Any, path: str = "") -> list[str]:
    """Return the problems of a ValidationError as sentences, each after the path of its field."""
    if isinstance(detail, Mapping):
        inner = [(key if not path else f"{path}.{key}", each) for key, each in detail.items()]
        return [
            words
            for key, each in inner
            for words in error_sentences(each, str(key).removeprefix("non_field_errors"))
        ]
    if isinstance(detail, list | tuple):
        return [words for each in detail for words in error_sentences(each, path)]
    return [f"{path}: {detail}" if path else str(detail)]
