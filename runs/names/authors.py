"""Whose a run is, as pages say it."""

from django.utils.translation import gettext as _

from accounts.models import display_name_of
from runs.models import Run


def author_of(run: Run, user: str = "") -> str:
    """Name who ran it: "nightly-bot for alice" when a service account logged it for a member (TEAM-34).

    Args:
        run: Its user and ``logged_by`` are loaded.
        user: What to call the user; the display name unless given.
    """
    user = user or (display_name_of(run.user) if run.user else _("a former user"))
    if run.logged_by is not None and run.logged_by_id != run.user_id:
        return _("%(service)s for %(user)s") % {"service": display_name_of(run.logged_by), "user": user}
    return user
