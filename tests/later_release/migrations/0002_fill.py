from pathlib import Path

from django.conf import settings
from django.db import migrations

FAILS = "later-release-fails"
"""A file in the data folder by which a test lets it fail."""


def fill(apps, schema_editor):
    """Write a note for each run; where a test wants it, it fails after that."""
    note = apps.get_model("later", "Note")
    note.objects.bulk_create(note(run=run, text=run.uid) for run in apps.get_model("runs", "Run").objects.all())
    if (Path(settings.DATA_FOLDER) / FAILS).exists():
        schema_editor.execute("SELECT * FROM no_such_table")


def empty(apps, schema_editor):
    apps.get_model("later", "Note").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("later", "0001_notes")]
    operations = [migrations.RunPython(fill, empty)]
