"""Which runs changed since somebody last looked."""

from django.db import models


class RunChange(models.Model):
    """That a run was created, changed or left a project, written by triggers (`runs.column_index.triggers`).

    Without foreign keys: rows outlive their runs, and tell who has kept something of a run that it is gone.
    """

    project_id = models.BigIntegerField()
    run_id = models.BigIntegerField()
    at = models.BigIntegerField(
        help_text="Rises: a count of its project on SQLite, PostgreSQL's transaction ID there."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project_id", "run_id"], name="runs_runchange_once"),
        ]
        indexes = [models.Index(fields=["project_id", "at"], name="runs_runchange_latest")]

    def __str__(self) -> str:
        return f"{self.run_id} at {self.at}"
