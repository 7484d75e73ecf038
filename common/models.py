"""Abstract bases; ``common`` has no tables of its own."""

from django.db import models
from django.utils import timezone


class Timestamped(models.Model):
    """When a row was made and last changed, UTC."""

    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
