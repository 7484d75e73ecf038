"""What a user, team or organization may be called: they share one name space, the "entity" of URLs."""

import re

from django.utils.translation import gettext as _

from common.errors import Invalid

MAX_LENGTH = 64
_ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")

RESERVED = frozenset(
    # first segments of routes (a test holds this against the URL configuration)
    "accounts admin api audit authorize artifacts artifactsv2 billing explain exports files frames graphql healthz"
    " hosts invitations jsi18n login logout metrics oidc organizations orgs outbox pictures profile projects quickstart"
    " ready registry scim sdk search settings signup slack static storage stripe styleguide teams traces unsubscribe ws"
    # names that would mislead
    " about administrator anonymous docs everyone favicon.ico help home me new none null owner public"
    " robots.txt root runyard security service status support system undefined user users wandb".split()
)
"""Lower-case names nobody may take."""


def check_name(name: str) -> str:
    """Return the name if it may be taken.

    Raises:
        Invalid: empty, too long, with other characters, or reserved.
    """
    if not name or len(name) > MAX_LENGTH:
        raise Invalid(
            _("A name must have 1 to %(most)s characters; “%(name)s” has %(count)s.")
            % {"most": MAX_LENGTH, "name": name[:80], "count": len(name)}
        )
    if not _ALLOWED.fullmatch(name):
        raise Invalid(
            _(
                "“%(name)s” isn’t a valid name. Use only letters A-Z a-z, digits, “-”, “_” and “.”, "
                "beginning with a letter or digit."
            )
            % {"name": name}
        )
    if name.lower() in RESERVED or name.lower().startswith("wandb-registry"):
        raise Invalid(_("The name “%(name)s” is reserved; choose another.") % {"name": name})
    return name
