"""Whether an organization's plan includes SCIM."""

from django.utils.translation import gettext as _

from common.errors import Forbidden
from teams.models import Organization
from teams.plan_policy import denied_message, has_feature


def require_scim(organization: Organization) -> None:
    """Let pass an organization whose plan includes SCIM; without it, providers still read, switch off and delete.

    Raises:
        Forbidden: it does not.
    """
    if not has_feature(organization, "sso"):
        message = _("The plan of %(organization)s does not include SCIM.") % {"organization": organization}
        raise Forbidden(denied_message(message, organization), action="sso")
