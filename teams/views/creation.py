"""Creating teams and organizations."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.views.base import signed_in_user
from common.errors import Conflict, Invalid, TooManyRequests
from teams.models import Organization, Team
from teams.organizations.services import create_organization
from teams.teams.creation import create_team_with_organization, creation_rights
from teams.teams.forms import NewOrganizationForm, NewTeamForm, check_free
from teams.teams.new_bucket import NewBucketForm, bucket_connector


@declare(Open.SIGNED_IN)
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def new_team(request: HttpRequest) -> HttpResponse:
    """Make a team (TEAM-2); who may not sees who can."""
    rights = creation_rights(actor_of(request))
    if not rights.may:
        return render(request, "teams/teams/new_refused.html", {"rights": rights})
    rows = Organization.objects.filter(pk__in=[row.pk for row in rights.organizations])
    chosen = {"organization": request.GET["organization"]} if request.GET.get("organization") else {}
    form = NewTeamForm(request.POST or None, organizations=rows, initial=chosen)
    bucket = bucket_connector().form(request.POST or None)
    if request.method == "POST" and all([form.is_valid(), bucket.is_valid()]):
        team = _created(request, form, bucket)
        if team is not None:
            return redirect("teams:invite", team.name)
    context = {"form": form, "rights": rights, "bucket": bucket}
    return render(request, "teams/teams/new.html", context, status=422 if request.method == "POST" else 200)


def _created(request: HttpRequest, form: NewTeamForm, bucket: NewBucketForm) -> Team | None:
    """Try the bucket, if one was chosen, and create the team; None where a refusal stands by the fields."""
    actor, data, give_bucket = actor_of(request), form.cleaned_data, None
    try:
        if bucket.is_chosen:
            give_bucket = bucket_connector().check(actor, bucket.url, bucket.credentials)
    except (Conflict, Invalid, TooManyRequests) as error:
        bucket.add_error(None, error.message)
        return None
    try:
        return create_team_with_organization(
            actor=actor, name=data["name"], kind=data["kind"], organization=data["organization"],
            new_organization=data["new_organization"], user=signed_in_user(request), give_bucket=give_bucket,
        )  # fmt: skip
    except (Conflict, Invalid) as error:  # taken meanwhile
        form.add_error(None, error.message)
        return None


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def new_organization(request: HttpRequest) -> HttpResponse:
    """Make an organization of one's own, as its first admin (TEAM-12)."""
    form = NewOrganizationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            row = create_organization(
                actor=actor_of(request), name=form.cleaned_data["name"], admin=signed_in_user(request)
            )
        except (Conflict, Invalid) as error:
            form.add_error(None, error.message)
        else:
            return redirect("teams:organization_teams", row.name)
    context = {"form": form}
    return render(request, "teams/organizations/new.html", context, status=422 if form.errors else 200)


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def check_name(request: HttpRequest) -> HttpResponse:
    """Say whether a name is free, while it is typed."""
    name = next(
        (request.GET[field] for field in ("name", "new_organization") if field in request.GET), ""
    ).strip()
    context = {"name": name, "is_free": bool(name), "problem": ""}
    try:
        if name:
            check_free(name)
    except ValidationError as error:
        context |= {"is_free": False, "problem": " ".join(error.messages)}
    return render(request, "teams/teams/name_answer.html", context)
