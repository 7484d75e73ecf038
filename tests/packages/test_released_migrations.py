"""Released migrations stay as they are, and later ones let processes of the last release go on beside new ones."""

from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations import Migration
from django.db.models.functions import Now

from common.database.online_indexes import AddIndexOnline, RemoveIndexOnline
from deploy.migrations import hashes, migrations_in_order, rewritten, unsafe

INDEX = models.Index(fields=["text"], name="notes_by_text")


def migration(name: str, *operations: Any, **attributes: Any) -> Migration:
    kind: type[Migration] = type("Migration", (Migration,), {"operations": list(operations), **attributes})
    return kind(name, "notes")


RELEASED = migration(
    "0001_initial",
    migrations.CreateModel(
        "Note", [("id", models.BigAutoField(primary_key=True)), ("text", models.TextField())]
    ),
)


def refusals(*operations: Any, **attributes: Any) -> list[str]:
    """Return what is said of operations of a migration after the release, without its name."""
    later = migration("0002_later", *operations, **attributes)
    found = unsafe([RELEASED, later], later={"notes.0002_later"})
    return [each.removeprefix("notes.0002_later: ") for each in found]


def nothing(_apps: Any, _editor: Any) -> None:
    """Change no row."""


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("note", "size", models.IntegerField(null=True)),
        migrations.AddField("note", "size", models.IntegerField(db_default=0)),
        migrations.AddField("note", "others", models.ManyToManyField("notes.Note")),
        migrations.AddField(
            "note", "parent", models.ForeignKey("notes.Note", models.CASCADE, null=True, db_index=False)
        ),
        migrations.AlterField(
            "note", "text", models.TextField("body", blank=True, help_text="What it says.")
        ),
        migrations.AlterModelOptions("note", {"ordering": ["text"]}),
        migrations.RunPython(nothing, nothing),
        migrations.CreateModel("Tag", [("id", models.BigAutoField(primary_key=True))]),
        migrations.SeparateDatabaseAndState([], [migrations.RemoveField("note", "text")]),
    ],
    ids=lambda operation: operation.describe(),
)
def test_what_old_processes_do_not_notice_passes(operation: Any) -> None:
    assert refusals(operation) == []


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (migrations.AddField("note", "size", models.IntegerField(default=0)), "insert rows without it"),
        (
            migrations.AddField("note", "size", models.IntegerField(null=True, db_index=True)),
            "its index is built",
        ),
        (migrations.AddField("note", "slug", models.TextField(null=True, unique=True)), "its index is built"),
        (
            migrations.AddField("note", "parent", models.ForeignKey("Note", models.CASCADE, null=True)),
            "its index",
        ),
        (migrations.AddField("note", "at", models.DateTimeField(db_default=Now())), "written anew"),
        (migrations.AlterField("note", "text", models.CharField(max_length=9)), "use the table as it was"),
        (migrations.AlterField("note", "text", models.TextField(null=True)), "use the table as it was"),
        (migrations.RemoveField("note", "text"), "use the table as it was"),
        (migrations.RenameField("note", "text", "body"), "use the table as it was"),
        (migrations.DeleteModel("Note"), "use the table as it was"),
        (migrations.RenameModel("Note", "Remark"), "use the table as it was"),
        (migrations.AlterModelTable("note", "remarks"), "use the table as it was"),
        (
            migrations.AddConstraint("note", models.UniqueConstraint(fields=["text"], name="one")),
            "the table as it was",
        ),
        (migrations.AddIndex("note", INDEX), "use AddIndexOnline"),
        (AddIndexOnline("note", INDEX), "atomic = False"),
        (migrations.RunSQL("UPDATE notes_note SET text = ''", ""), "which locks"),
        (migrations.RunPython(nothing), "cannot be taken back"),
        (migrations.SeparateDatabaseAndState([migrations.AddIndex("note", INDEX)], []), "use AddIndexOnline"),
    ],
    ids=lambda given: given if isinstance(given, str) else given.describe(),
)
def test_what_they_would_notice_is_refused(operation: Any, why: str) -> None:
    [refusal] = refusals(operation)
    assert why in refusal


def test_indexes_are_built_online_outside_of_transactions() -> None:
    added, removed = AddIndexOnline("note", INDEX), RemoveIndexOnline("note", INDEX.name)
    assert refusals(added, removed, atomic=False) == []


def test_rows_are_changed_apart_from_tables() -> None:
    add = migrations.AddField("note", "size", models.IntegerField(null=True))
    [refusal] = refusals(add, migrations.RunPython(nothing, nothing))
    assert "a migration of its own" in refusal


def test_a_table_that_comes_with_the_release_may_be_changed() -> None:
    create = migrations.CreateModel("Tag", [("id", models.BigAutoField(primary_key=True))])
    assert (
        refusals(create, migrations.AddField("tag", "name", models.TextField(default="", unique=True))) == []
    )


def test_a_reason_lets_one_operation_pass_and_is_needed() -> None:
    remove = migrations.RemoveField("note", "text")
    assert refusals(remove, safe_because={"RemoveField note.text": "Nothing reads it since 0.2.0."}) == []
    [refusal] = refusals(remove, safe_because={"RemoveField note.text": ""})
    assert refusal.startswith("RemoveField note.text: ")
    assert refusals(safe_because={"RemoveField note.text": "It is gone."}) == [
        "RemoveField note.text needs no reason"
    ]


def test_released_migrations_are_neither_changed_nor_removed() -> None:
    released = {"notes.0001_initial": "a", "notes.0002_more": "b", "notes.0003_last": "c"}
    assert list(rewritten(released, {"notes.0001_initial": "a", "notes.0003_last": "d"})) == [
        "notes.0002_more is released and may not be removed or squashed",
        "notes.0003_last is released and may not be changed: write another migration",
    ]


def test_the_migrations_of_this_project_are_known() -> None:
    present = hashes(migrations_in_order())
    assert "runs.0001_initial" in present
    assert not [name for name in present if name.startswith(("auth.", "account.", "sessions."))]
