"""Who may make an account (ACC-22), as the operator configured it."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.membership_policy import membership_policy
from common import installation_settings


def is_open() -> bool:
    """Whether people may come without an invitation."""
    return installation_settings.signup() == "open"


def may_sign_up(request: HttpRequest) -> bool:
    """Whether this browser may see the form: sign-up is open, or it has opened a mailed invitation."""
    return is_open() or bool(membership_policy().invited_address(request))


def check_address(request: HttpRequest, address: str) -> None:
    """Refuse an address that the rules keep out; an invited one always passes.

    Raises:
        ValidationError: says the rule.
    """
    invited = membership_policy().invited_address(request)
    if invited and address.lower() == invited:
        return
    if not is_open():
        raise ValidationError(_("Sign up with the invited address, %(email)s."), params={"email": invited})
    domains = installation_settings.signup_domains()
    if domains and address.rpartition("@")[2].lower() not in domains:
        allowed = ", ".join(domains)
        raise ValidationError(
            _("Accounts here are for addresses of these domains: %(domains)s."), params={"domains": allowed}
        )
