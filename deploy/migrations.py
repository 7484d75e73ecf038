"""Part of ``make lint``: released migrations stay as they are, and later ones let old processes go on beside new ones.

What may be done to a table that a release has is listed here; all else is refused, unless the migration says why it
is safe::

    class Migration(migrations.Migration):
        safe_because = {"RemoveField run.old": "Nothing reads or writes it since 0.2.0."}

A table that comes with the same release may be changed at will, and before the first release all may be.
"""

import argparse
import hashlib
import inspect
import json
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import django
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import GeneratedField, ManyToManyField, Value
from django.db.models.fields import NOT_PROVIDED

from common.database.online_indexes import AddIndexOnline, RemoveIndexOnline
from config.env import ROOT

RELEASED = ROOT / "deploy" / "released-migrations.json"
"""The released migrations, and the SHA-256 of each one's file."""

STATE_ONLY = (
    operations.AlterModelOptions,
    operations.AlterModelManagers,
    operations.AlterModelTableComment,
)
ONLINE = (AddIndexOnline, RemoveIndexOnline)


def main() -> None:
    """Check the migrations of this checkout, or record them as released."""
    parser = argparse.ArgumentParser(prog="python -m deploy.migrations", description=__doc__)
    parser.add_argument("--record", action="store_true", help="record all migrations as released")
    parser.add_argument("--complete", action="store_true", help="require that all are recorded as released")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    django.setup()
    plan = migrations_in_order()
    present = hashes(plan)
    if given.record:
        RELEASED.write_text(json.dumps(present, indent=2, sort_keys=True) + "\n")
    released = json.loads(RELEASED.read_text())
    found = [*rewritten(released, present)]
    if released:
        found += unsafe(plan, later=present.keys() - released.keys())
    if given.complete:
        found += [f"{name} is not recorded as released" for name in sorted(present.keys() - released.keys())]
    if found:
        sys.exit("\n".join(found))


def migrations_in_order() -> list[Migration]:
    """Return all migrations of all apps, each after those it depends on."""
    loader = MigrationLoader(None)
    plans = (loader.graph.forwards_plan(leaf) for leaf in loader.graph.leaf_nodes())
    return [loader.get_migration(*key) for key in dict.fromkeys(chain.from_iterable(plans))]


def hashes(plan: Sequence[Migration]) -> dict[str, str]:
    """Return which migrations are this project's own, and the SHA-256 of each one's file."""
    files = {str(migration): Path(inspect.getfile(type(migration))) for migration in plan}
    return {
        name: hashlib.sha256(file.read_bytes()).hexdigest()
        for name, file in files.items()
        if file.is_relative_to(ROOT) and not file.is_relative_to(sys.prefix)
    }


def rewritten(released: Mapping[str, str], present: Mapping[str, str]) -> Iterator[str]:
    """Yield which released migrations are not as they were."""
    for name, digest in sorted(released.items()):
        if name not in present:
            yield f"{name} is released and may not be removed or squashed"
        elif present[name] != digest:
            yield f"{name} is released and may not be changed: write another migration"


def unsafe(plan: Sequence[Migration], *, later: Collection[str]) -> Iterator[str]:
    """Yield which operations are refused, and why.

    Args:
        plan: All migrations, in order.
        later: Names of those that come with the next release.
    """
    state = ProjectState()
    tables: set[tuple[str, str]] = set()
    for migration in plan:
        is_later = str(migration) in later
        reasons = dict(getattr(migration, "safe_because", {}))
        for operation in migration.operations:
            refusal = _refusal(migration, operation, state, tables) if is_later else ""
            if refusal and not reasons.pop(_named(operation), ""):
                yield f"{migration}: {_named(operation)}: {refusal}"
            operation.state_forwards(migration.app_label, state)
        if is_later:
            yield from (f"{migration}: {name} needs no reason" for name in reasons)
        else:
            tables |= {table for table in state.models if table[0] == migration.app_label}


def _named(operation: Operation) -> str:
    """Name an operation as ``safe_because`` does."""
    names = (getattr(operation, name, "") for name in ("model_name", "name"))
    index = getattr(getattr(operation, "index", None), "name", "")
    return f"{type(operation).__name__} {'.'.join(filter(None, (*names, index)))}".strip()


def _refusal(
    migration: Migration, operation: Operation, state: ProjectState, tables: Collection[tuple[str, str]]
) -> str:
    """Return why an operation is refused, "" where it is not."""
    if isinstance(operation, operations.SeparateDatabaseAndState):
        inner = (_refusal(migration, each, state, tables) for each in operation.database_operations)
        return next(filter(None, inner), "")
    if isinstance(operation, operations.RunPython | operations.RunSQL):
        return _refusal_of_data(migration, operation)
    names = (getattr(operation, name, None) for name in ("model_name", "name", "old_name"))
    table = migration.app_label, str(next(filter(None, names), "")).lower()
    if table not in tables or isinstance(operation, STATE_ONLY):
        return ""
    return _refusal_of_change(operation, state.models[table], is_atomic=migration.atomic)


def _refusal_of_change(operation: Any, table: ModelState, *, is_atomic: bool) -> str:
    if isinstance(operation, ONLINE):
        return "its migration needs `atomic = False`" if is_atomic else ""
    if isinstance(operation, operations.AddField):
        return _refusal_of_field(operation.field)
    if isinstance(operation, operations.AddIndex | operations.RemoveIndex):
        return f"nobody can write meanwhile: use {type(operation).__name__}Online"
    if isinstance(operation, operations.AlterField) and _is_same(
        table.fields[operation.name], operation.field
    ):
        return ""
    return "processes of the last release use the table as it was"


def _refusal_of_data(migration: Migration, operation: Any) -> str:
    if not operation.reversible:
        return "it cannot be taken back when an upgrade fails"
    if isinstance(operation, operations.RunSQL):
        return "only a person can tell which locks it takes"
    if not all(isinstance(each, operations.RunPython) for each in migration.operations):
        return "tables stay locked while it runs: give it a migration of its own"
    return ""


def _refusal_of_field(field: Any) -> str:
    if isinstance(field, ManyToManyField):  # it is a table of its own
        return ""
    if isinstance(field, GeneratedField):
        return "the table is written anew"
    has_default = field.db_default is not NOT_PROVIDED
    if not field.null and not has_default:
        return "processes of the last release insert rows without it: give it null=True or db_default"
    if has_default and not isinstance(field.db_default, Value | str | int | float | bool):
        return "only a person can tell whether the table is written anew for its default"
    if field.unique or field.db_index:
        return "nobody can write while its index is built: give it db_index=False, and use AddIndexOnline"
    return ""


def _is_same(first: Any, second: Any) -> bool:
    """Say whether two fields are one to the database."""
    return bool(_column(first) == _column(second))


def _column(field: Any) -> tuple[Any, ...]:
    _name, path, arguments, options = field.deconstruct()
    return path, arguments, {name: each for name, each in options.items() if name not in field.non_db_attrs}


if __name__ == "__main__":
    main()
