"""The audit log."""

from django.conf import settings
from django.db import models


class AuditEntry(models.Model):
    """Who did what to which thing, from where. Written by services, changed by nobody (BIL-11)."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    actor_name = models.CharField(max_length=150, help_text="The name at the time; stays when the user goes.")
    actor_kind = models.CharField(max_length=20)
    key_id = models.BigIntegerField(null=True, help_text="The API key used, if any.")
    address = models.CharField(max_length=64, blank=True, help_text="IP address of the request.")
    action = models.CharField(max_length=80)
    object_type = models.CharField(max_length=80)
    object_id = models.CharField(max_length=64)
    object_name = models.CharField(max_length=300)
    organization_id = models.BigIntegerField(null=True, help_text="Whose audit log it is in.")
    team_id = models.BigIntegerField(null=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["organization_id", "-at"], name="access_audit_organization"),
            models.Index(fields=["object_type", "object_id"], name="access_audit_object"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action} {self.object_name}"
