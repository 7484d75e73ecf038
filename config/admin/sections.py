"""What the operators' admin shows on its front page and beside every page, by what it is about."""

from collections.abc import Iterator, Mapping
from typing import Any

LEDGERS = "Ledgers and logs"
"""The last section: what programs write and nobody edits."""

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "People": (
        "accounts.User", "account.EmailAddress", "accounts.ApiKey", "usersessions.UserSession",
        "socialaccount.SocialAccount",
    ),
    "Organizations and teams": (
        "teams.Organization", "teams.OrganizationMember", "teams.Team", "teams.Membership", "teams.Invitation",
        "teams.Role", "teams.ServiceAccount",
    ),
    "Projects and runs": (
        "runs.Project", "runs.Run", "runs.RunFile", "runs.SavedView", "runs.StoredChart", "exports.Export",
    ),
    "Sweeps": ("sweeps.Sweep", "sweeps.SweepAgent", "sweeps.Trial"),
    "Artifacts": (
        "artifacts.Collection", "artifacts.Version", "artifacts.Registry", "artifacts.RegistryMember",
        "artifacts.ProtectedAlias", "artifacts.RetentionPolicy",
    ),
    "Alerts and automations": (
        "alerts.AlertSettings", "alerts.Mute", "alerts.Destination", "automations.Automation", "alerts.Message",
    ),
    "Billing": (
        "billing.Plan", "billing.Subscription", "billing.BillingAdmin", "billing.Invoice", "billing.Payment",
        "billing.PaymentMethod", "usage.InternalPrices",
    ),
    "Sign-in and email": ("accounts.SignInProvider", "teams.GroupMapping", "accounts.OutboxMail"),
    LEDGERS: (
        "access.AuditEntry", "alerts.Event", "alerts.Delivery", "usage.UsageDay", "usage.TeamDay",
        "usage.TrackedInterval", "usage.ReportedTime", "usage.HardwareUse", "usage.HardwareShift",
        "usage.GpuClaim", "usage.IngestionEntry", "usage.MeterState", "billing.PeriodClose",
        "billing.UsageAlert", "billing.NoticeDismissal", "billing.GatewayEvent", "storage.ByteEntry",
        "storage.Holding", "storage.Blob", "storage.Bucket", "storage.BucketMove",
        "artifacts.Content", "metrics.Stream", "metrics.Sequence", "accounts.Name",
    ),
}  # fmt: skip
"""Models by section, in the order in which operators look for them."""


def in_sections(models: Mapping[str, dict[str, Any]], index_url: str) -> Iterator[dict[str, Any]]:
    """Yield the sections as Django describes apps, with those of these models that one may see."""
    for name, labels in SECTIONS.items():
        slug = name.lower().replace(" ", "-")
        if found := [models[label] for label in labels if label in models]:
            yield {
                "name": name, "app_label": slug, "app_url": f"{index_url}#{slug}", "has_module_perms": True,
                "models": found,
            }  # fmt: skip
