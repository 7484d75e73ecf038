"""What is limited for files."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from access.limits.registry import Limit, LimitGroup, LimitUnit, register_limits


def register() -> None:
    """Tell the page of limits."""
    over = _("The address returns 403; request a new one.")
    register_limits(
        Limit(
            "files.bytes", LimitGroup.FILES, _("A file"), lambda: settings.UPLOAD_MAX_BYTES,
            _("Answered 413, and the file is not stored."), LimitUnit.BYTES, "RUNYARD_UPLOAD_MAX_GIB",
        ),
        Limit(
            "files.upload_address", LimitGroup.FILES, _("Lifetime of an upload address"),
            lambda: settings.TICKET_UPLOAD_S, over, LimitUnit.SECONDS, "RUNYARD_TICKET_UPLOAD_S",
        ),
        Limit(
            "files.download_address", LimitGroup.FILES, _("Lifetime of a download address"),
            lambda: settings.TICKET_DOWNLOAD_S, over, LimitUnit.SECONDS, "RUNYARD_TICKET_DOWNLOAD_S",
        ),
    )  # fmt: skip
