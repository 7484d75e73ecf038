"""What members are told by mail."""

from django.utils.translation import gettext as _

from access.actor import Actor
from accounts.mail import sending
from accounts.models import User


def mail_removed(*, user: User, place: str, actor: Actor) -> None:
    """Tell a person that they are no longer in a team or an organization, and who decided it."""
    if user.is_active:
        sending.send("teams/email/removed", user, {"place": place, "by": actor.name or _("An operator")})
