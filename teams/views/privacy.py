"""The privacy pages of a team and of an organization: switches, and the public projects there are."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.web.requests import actor_of
from accounts.sign_in.reauthentication import reauthenticated, reauthenticated_post
from teams.models import Organization, Team
from teams.scope import PageScope, scoped
from teams.teams import privacy as switches
from teams.teams.privacy import SWITCHES, Switch
from teams.views.base import answer, number_in

_CHOICES = {"": None, "on": True, "off": False}


@dataclass(frozen=True, slots=True)
class SwitchLine:
    """One switch as the page shows it."""

    switch: Switch
    value: bool | None
    """None where each team decides."""
    is_enforced: bool = False


class PrivacyOfTeam:
    """The page of one team."""

    template, route = "teams/teams/privacy.html", "teams:privacy"

    def __init__(self, request: HttpRequest, row: Team) -> None:
        self.request, self.row, self.actor = request, row, actor_of(request)

    @property
    def teams(self) -> list[Team]:
        """Whose public projects are listed."""
        return [self.row]

    def lines(self) -> list[SwitchLine]:
        """Return the switches; those that the organization decides cannot be turned here."""
        fixed = switches.enforced(self.row)
        return [
            SwitchLine(switch, getattr(self.row, switch.name), switch.name in fixed) for switch in SWITCHES
        ]

    def save(self) -> None:
        """Take the switches as posted; one that is not, or cannot be turned here, is left out."""
        fixed = switches.enforced(self.row)
        values = {line.name: line.name in self.request.POST for line in SWITCHES if line.name not in fixed}
        switches.set_privacy(actor=self.actor, team=self.row, values=values)

    def context(self) -> dict[str, Any]:
        """Return what the template is about."""
        return {"team": self.row}

    def _back(self) -> str:
        return reverse(self.route, args=[self.row.name])

    def show(self) -> HttpResponse:
        """Show the page, or save what it posts."""
        if self.request.method == "POST":

            def act() -> str:
                self.save()
                return _("Saved.")

            return answer(self.request, act, self._back())
        listed = switches.public_projects(self.teams)
        context = {**self.context(), "lines": self.lines(), "public_projects": listed}
        return render(self.request, self.template, context)

    def close(self) -> HttpResponse:
        """Close one public project, or all of them."""
        number = number_in(self.request, "project")
        keys = [number] if number or "all" not in self.request.POST else None

        def act() -> str:
            n = switches.close_projects(actor=self.actor, teams=self.teams, keys=keys)
            return ngettext("%(n)d project closed.", "%(n)d projects closed.", n) % {"n": n}

        return answer(self.request, act, self._back())


class PrivacyOfOrganization(PrivacyOfTeam):
    """The page of an organization, which decides for all its teams or leaves it to each."""

    template, route = "teams/organizations/privacy.html", "teams:organization_privacy"
    row: Organization  # type: ignore[assignment]  # the one difference of the two pages

    def __init__(self, request: HttpRequest, row: Organization) -> None:
        self.request, self.row, self.actor = request, row, actor_of(request)

    @property
    def teams(self) -> list[Team]:
        """All its teams."""
        return list(Team.objects.shared().filter(organization=self.row))

    def lines(self) -> list[SwitchLine]:
        """Return what is decided for all."""
        decided = self.row.enforced_privacy
        return [SwitchLine(switch, decided.get(switch.name)) for switch in SWITCHES]

    def save(self) -> None:
        """Take the choices as posted."""
        chosen = {switch.name: self.request.POST.get(switch.name, "") for switch in SWITCHES}
        values = {name: _CHOICES[choice] for name, choice in chosen.items() if choice in _CHOICES}
        switches.enforce_privacy(actor=self.actor, organization=self.row, values=values)

    def context(self) -> dict[str, Any]:
        """Return what the template is about."""
        return {"organization": self.row}


def _page(request: HttpRequest, scope: PageScope) -> PrivacyOfTeam:
    if isinstance(scope.row, Team):
        return PrivacyOfTeam(request, scope.row)
    return PrivacyOfOrganization(request, scope.row)


@never_cache
@require_http_methods(["GET", "POST"])
@reauthenticated_post
@scoped
def privacy(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Turn a team's privacy switches, or decide them for all teams of an organization (TEAM-8)."""
    return _page(request, scope).show()


@require_POST
@reauthenticated
@scoped
def close_projects(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Close public projects."""
    return _page(request, scope).close()
