"""The privacy pages of a team and of an organization: switches, and the public projects there are."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.web.requests import actor_of
from teams.models import Organization, Team
from teams.teams import privacy
from teams.teams.privacy import SWITCHES, Switch
from teams.views.base import answer, number_in

_CHOICES = {"": None, "on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Line:
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

    def lines(self) -> list[Line]:
        """Return the switches; those that the organization decides cannot be turned here."""
        fixed = privacy.enforced(self.row)
        return [Line(switch, getattr(self.row, switch.name), switch.name in fixed) for switch in SWITCHES]

    def save(self) -> None:
        """Take the switches as posted; one that is not, or cannot be turned here, is left out."""
        fixed = privacy.enforced(self.row)
        values = {line.name: line.name in self.request.POST for line in SWITCHES if line.name not in fixed}
        privacy.set_privacy(actor=self.actor, team=self.row, values=values)

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
        listed = privacy.public_projects(self.teams)
        context = {**self.context(), "lines": self.lines(), "public_projects": listed}
        return render(self.request, self.template, context)

    def close(self) -> HttpResponse:
        """Close one public project, or all of them."""
        number = number_in(self.request, "project")
        keys = [number] if number or "all" not in self.request.POST else None

        def act() -> str:
            n = privacy.close_projects(actor=self.actor, teams=self.teams, keys=keys)
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
        return list(self.row.teams.all())

    def lines(self) -> list[Line]:
        """Return what is decided for all."""
        decided = self.row.enforced_privacy
        return [Line(switch, decided.get(switch.name)) for switch in SWITCHES]

    def save(self) -> None:
        """Take the choices as posted."""
        chosen = {switch.name: self.request.POST.get(switch.name, "") for switch in SWITCHES}
        values = {name: _CHOICES[choice] for name, choice in chosen.items() if choice in _CHOICES}
        privacy.enforce_privacy(actor=self.actor, organization=self.row, values=values)

    def context(self) -> dict[str, Any]:
        """Return what the template is about."""
        return {"organization": self.row}
