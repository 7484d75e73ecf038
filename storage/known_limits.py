"""What is limited for files."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.limits.registry import REFUSED, Limit, LimitGroup, LimitUnit, Used, register_limits
from common.rate_limits import spent
from storage.team_buckets import connector


def _checks(actor: Actor, _team: Any) -> Used | None:
    amounts = spent(connector.CHECKED, [str(actor.lookup_id)], window_s=connector.CHECKS_WINDOW_S)
    return Used(amounts[0]) if amounts else None


def register() -> None:
    """Tell the page of limits."""
    over = _("The URL returns 403; request a new one.")
    register_limits(
        Limit(
            "account.bucket_checks", LimitGroup.ACCOUNT, _("Bucket checks"), lambda: connector.CHECKS,
            REFUSED, LimitUnit.PER_MINUTE, measure=_checks,
        ),
        Limit(
            "files.bytes", LimitGroup.FILES, _("A file"), lambda: settings.UPLOAD_MAX_BYTES,
            _("Returns 413; the file is not stored."), LimitUnit.BYTES, "RUNYARD_UPLOAD_MAX_GIB",
        ),
        Limit(
            "files.upload_address", LimitGroup.FILES, _("Lifetime of an upload URL"),
            lambda: settings.TICKET_UPLOAD_S, over, LimitUnit.SECONDS, "RUNYARD_TICKET_UPLOAD_S",
        ),
        Limit(
            "files.download_address", LimitGroup.FILES, _("Lifetime of a download URL"),
            lambda: settings.TICKET_DOWNLOAD_S, over, LimitUnit.SECONDS, "RUNYARD_TICKET_DOWNLOAD_S",
        ),
    )  # fmt: skip
