"""What the later release adds."""

from django.db import models

from runs.models import Run


class Note(models.Model):
    """A table beside an old one."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    text = models.TextField()
