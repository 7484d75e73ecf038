"""Settings that operators change: one row each, read through the cache (common.installation_settings)."""

from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require_operator
from accounts.models import InstallationSetting
from common.database.commits import after_commit
from common.database.replica.routing import from_primary
from common.errors import Conflict
from common.installation_settings import VARIABLES, is_given

CACHE_KEY = "installation-settings"
_CACHED_S = 300


def stored() -> dict[str, Any]:
    """Return what is stored, by name."""
    found: dict[str, Any] | None = cache.get(CACHE_KEY)
    if found is None:
        with from_primary():  # newer than whatever took it out of the cache
            found = dict(InstallationSetting.objects.values_list("name", "value"))
        cache.set(CACHE_KEY, found, _CACHED_S)
    return found


@transaction.atomic
def change(*, actor: Actor, values: dict[str, Any]) -> list[str]:
    """Store settings of the installation, None takes one away; returns the names of those that changed.

    Raises:
        Conflict: the environment decides one of them.
        Forbidden: the actor is no operator.
    """
    require_operator(actor, "operator")
    before = dict(InstallationSetting.objects.select_for_update().values_list("name", "value"))
    changed = {name: value for name, value in values.items() if before.get(name) != value}
    for name, value in changed.items():
        if is_given(name):
            variables = ", ".join(VARIABLES[name])
            raise Conflict(_("This is set by %(variables)s in the environment.") % {"variables": variables})
        if value is None:
            InstallationSetting.objects.filter(name=name).delete()
            continue
        InstallationSetting.objects.update_or_create(name=name, defaults={"value": value})
    if changed:
        past = {name: before.get(name) for name in changed}
        row = InstallationSetting(name="installation", pk=0)
        record(actor, "installation.change_settings", row, before=past, after=changed)
        after_commit(cache.delete, CACHE_KEY)
    return sorted(changed)
