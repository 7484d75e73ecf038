"""Pages that an organization, a team, a project and a person's own space have alike: one view, a route for each scope.

A view takes the scope instead of names::

    @never_cache
    @require_GET
    @scoped  # innermost: methods and fresh sign-ins are checked before anything is looked up
    def storage(request: HttpRequest, scope: PageScope) -> HttpResponse:
        context = {**scope.context("storage"), "url": scope.url("storage_project", "cifar")}
        return render(request, "usage/storage/storage.html", context)  # {% extends frame %}

`ScopedPages` makes the routes; `named` says what the rest of a route's name is put into::

    STORAGE = ScopedPages(
        "usage",
        own_scope("settings/storage"),
        team_scope("teams/<str:entity>/storage", TeamAction.VIEW_USAGE, named="team_{}"),
    )
    urlpatterns = [
        *STORAGE.paths("storage", "", storage),  # usage:own_storage, usage:team_storage
        *STORAGE.paths("storage_project", "/<str:project>", project),
    ]

Apps above have projects: a `ScopeRoute` with a finder of their own gives them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from access.engine import require
from access.routes import Declaration, Open, declare
from access.web.requests import actor_of
from common.errors import NotFound
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team
from teams.teams.selectors import organization_named, personal_team_of, shared_team

View = Callable[..., HttpResponseBase]
Finder = Callable[..., Any]
"""Takes the request, the names in the address, and the action that the viewer needs, "" for none; returns an
organization, a team, a project, or None for the viewer. Raises NotFound or Forbidden."""


@dataclass(frozen=True, slots=True)
class PageScope:
    """Whose page it is, and the addresses of the pages beside it."""

    app: str
    named: str
    arguments: tuple[str, ...]
    """What addresses call it."""
    organization: Organization | None = None
    """Also a team's."""
    team: Team | None = None
    project: Any = None

    @property
    def row(self) -> Any:
        """What permissions are asked on; None for the viewer."""
        return self.project or self.team or self.organization

    @property
    def is_own(self) -> bool:
        """Whether it is the viewer's own."""
        return self.project is None and (
            self.row is None or (self.team is not None and self.team.is_personal)
        )

    def url(self, route: str, *args: Any) -> str:
        """Return the path of one of its pages."""
        return reverse(self._route(route), args=[*self.arguments, *args])

    def _route(self, route: str) -> str:
        return f"{self.app}:{self.named.format(route)}"

    def context(self, section: str) -> dict[str, Any]:
        """Return what frames and templates need: ``frame``, ``section_route`` of the rail, ``scope``, and the rows.

        Args:
            section: The rest of the name of the section's page; a person's is called ``own_`` and that.
        """
        route = f"{self.app}:own_{section}" if self.is_own else self._route(section)
        shared = {"scope": self, "section_route": route}
        if self.project is not None:
            frame = f"{self.app}/project_frame.html"
            return {**shared, "frame": frame, "project": self.project, "team": self.team}
        if self.is_own:
            return {**shared, "frame": "settings/user.html", "team": self.team}
        if self.team is not None:
            return {**shared, "frame": "settings/team.html", "team": self.team}
        return {**shared, "frame": "settings/organization.html", "organization": self.organization}


@dataclass(frozen=True, slots=True)
class ScopeRoute:
    """Where the pages of one kind of scope are, and what they need."""

    path: str
    named: str
    needs: Declaration
    find: Finder

    def scope_of(
        self, app: str, request: HttpRequest, kwargs: dict[str, Any], action: str | None
    ) -> PageScope:
        """Take the scope's names out of a page's, and return it if the viewer may do the action there."""
        if action is None:
            action = "" if isinstance(self.needs, Open) else self.needs
        names = [kwargs.pop(name) for name in re.findall(r"<(?:\w+:)?(\w+)>", self.path)]
        row = self.find(request, *names, action=action)
        given = app, self.named, tuple(names)
        if row is None or isinstance(row, Organization):
            return PageScope(*given, organization=row)
        team: Team = row if isinstance(row, Team) else row.team
        return PageScope(*given, team.organization, team, None if row is team else row)


def _organization(request: HttpRequest, name: str, *, action: str) -> Organization:
    return organization_named(actor_of(request), name, action or OrganizationAction.VIEW)


def _shared_team(request: HttpRequest, name: str, *, action: str) -> Team:
    return shared_team(actor_of(request), name, action or TeamAction.VIEW)


def _own_team(request: HttpRequest, *, action: str) -> Team:
    actor = actor_of(request)
    team = personal_team_of(actor)
    if team is None:
        raise NotFound(_("This account has no personal entity."))
    if action:
        require(actor, action, team)
    return team


def _viewer(request: HttpRequest, *, action: str) -> None:
    """Return no row: the page is about who looks at it."""


def organization_scope(path: str, needs: Declaration, named: str = "organization_{}") -> ScopeRoute:
    """Return where an organization's pages are."""
    return ScopeRoute(path, named, needs, _organization)


def team_scope(path: str, needs: Declaration, named: str = "{}") -> ScopeRoute:
    """Return where a shared team's pages are."""
    return ScopeRoute(path, named, needs, _shared_team)


def own_scope(path: str, needs: Declaration = Open.SIGNED_IN, named: str = "own_{}") -> ScopeRoute:
    """Return where the pages of one's personal entity are; who has none finds none."""
    return ScopeRoute(path, named, needs, _own_team)


def viewer_scope(path: str, named: str = "own_{}") -> ScopeRoute:
    """Return where pages about oneself are that need no personal entity."""
    return ScopeRoute(path, named, Open.SIGNED_IN, _viewer)


class ScopedPages:
    """Pages that several scopes have."""

    def __init__(self, app: str, *routes: ScopeRoute) -> None:
        self.app, self.routes = app, routes

    def paths(self, name: str, ending: str, view: View) -> list[URLPattern]:
        """Return the routes of one `scoped` view, one for each scope.

        Args:
            name: What is put into ``named`` of each scope.
            ending: What the address has after the scope's.
            view: Its page.
        """
        return [
            path(f"{route.path}{ending}", self._bound(route, view), name=route.named.format(name))
            for route in self.routes
        ]

    def _bound(self, route: ScopeRoute, view: View) -> View:
        @wraps(view)
        def page(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
            return view(request, self.app, route, **kwargs)

        return declare(route.needs)(page)


def scoped(view: View, *, action: str | None = None) -> View:
    """Call a view with the request, the scope of its route, and what else the address names.

    The viewer may do there what the route declares.
    """

    @wraps(view)
    def found(request: HttpRequest, app: str, route: ScopeRoute, **kwargs: Any) -> HttpResponseBase:
        return view(request, route.scope_of(app, request, kwargs, action), **kwargs)

    return found


def scoped_by(action: str) -> Callable[[View], View]:
    """As `scoped`, but the viewer needs another action, "" for none: the view checks the declared one itself."""
    return partial(scoped, action=action)
