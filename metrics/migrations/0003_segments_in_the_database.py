from django.db import migrations


class Migration(migrations.Migration):
    """Until now the setting said for all segments where they lie."""

    dependencies = [("metrics", "0002_segment_places")]

    operations = [
        migrations.RunSQL(
            "UPDATE metrics_segment SET store = 1 WHERE name IN (SELECT name FROM metrics_segmentcontent)",
            reverse_sql=migrations.RunSQL.noop,
        )
    ]
