"""The audit log."""

from django.conf import settings
from django.db import models


class AuditEntry(models.Model):
    """Who did what to which thing, from where. Written by services, changed by nobody (BIL-11)."""

    at = models.DateTimeField("time", auto_now_add=True, help_text="UTC.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    actor_name = models.CharField(
        "actor", max_length=150, help_text="The name at that time; it stays when the account is gone."
    )
    actor_kind = models.CharField(max_length=20)
    key_id = models.BigIntegerField("API key ID", null=True, help_text="The API key that was used, if any.")
    address = models.CharField(
        "IP address", max_length=64, blank=True, help_text="The sender of the request."
    )
    action = models.CharField(max_length=80)
    object_type = models.CharField(max_length=80)
    object_id = models.CharField("object ID", max_length=64)
    object_name = models.CharField(max_length=300)
    organization_id = models.BigIntegerField(
        "organization ID", null=True, help_text="The organization whose audit log has the entry."
    )
    team_id = models.BigIntegerField("team ID", null=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]
        verbose_name = "audit log entry"
        verbose_name_plural = "audit log entries"
        # each begins with what a filter names and ends with the order of the pages, so that a page is read in place
        indexes = [
            models.Index(fields=["-at", "-id"], name="access_audit_at"),
            models.Index(fields=["organization_id", "-at", "-id"], name="access_audit_organization"),
            models.Index(fields=["team_id", "-at", "-id"], name="access_audit_team"),
            models.Index(fields=["actor_name", "-at", "-id"], name="access_audit_actor"),
            models.Index(fields=["action", "-at", "-id"], name="access_audit_action"),
            models.Index(fields=["address", "-at", "-id"], name="access_audit_address"),
            models.Index(fields=["object_type", "object_id"], name="access_audit_object"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action} {self.object_name}"
