"""What of automations changes hands when two accounts become one (`accounts.lifecycle.account_merge`).

Those of the personal entity move into the one that stays, after its destinations and secrets
(`alerts.lifecycle.account_merge`).
"""

from collections.abc import Iterator

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from alerts.lifecycle.account_merge import free_name
from automations.models import Automation
from teams.account_merge import personal_team


def preview_merge(source: User, target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    yield MergeLine("automations", Automation.objects.filter(team=personal_team(source)).count())


def merge(source: User, target: User) -> None:
    """Hand over automations of the personal entity, and who is mailed and named by others."""
    team = personal_team(target)
    for automation in Automation.objects.filter(team=personal_team(source)):
        name = free_name(Automation, team, automation.name, f"-{source.username}")
        Automation.objects.filter(pk=automation.pk).update(team=team, name=name)
    for automation in Automation.objects.filter(mail_to=source):
        automation.mail_to.add(target)
        automation.mail_to.remove(source)
    Automation.objects.filter(created_by=source).update(created_by=target)
