from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "__latest__")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE runs_run ADD COLUMN priority integer NOT NULL DEFAULT 0",
            "ALTER TABLE runs_run DROP COLUMN priority",
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                ("run", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="runs.run")),
            ],
        ),
    ]
