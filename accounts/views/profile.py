"""The Profile section of the settings, and the pictures and intros of profiles.

What a person's and a team's profile share is in functions that `teams.views.profile` calls as well.
"""

from dataclasses import dataclass

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.models import Picture, ProfileAudience
from accounts.profile import services as profiles
from accounts.profile.external_pictures import KEPT_S, external_picture
from accounts.profile.forms import CropForm, ProfileForm
from accounts.profile.pictures import MAX_BYTES
from accounts.profile.services import Named
from accounts.views.base import signed_in_user
from common.errors import DomainError, NotFound
from common.markdown import is_signed_picture

_FOR_EVER = "public, max-age=31536000, immutable"
_NOTHING_RUNS = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True)
class ProfileUrls:
    """Addresses of one row's profile."""

    page: str
    """Where the profile is shown."""
    settings: str
    """The page with its forms."""
    words: str
    """Where its words are sent to."""
    picture: str
    """Where a picture is sent to."""


def profile_context(row: Named, places: ProfileUrls, form: Form | None = None) -> dict[str, object]:
    """Return what the forms of a profile need; ``form`` is the one that was refused."""
    form = form or ProfileForm(row, profiles.profile_of(row))
    return {"form": form, "entity": row, "places": places, "max_bytes": MAX_BYTES}


def show_profile_section(
    request: HttpRequest, row: Named, places: ProfileUrls, template: str, more: dict[str, object]
) -> HttpResponse:
    """Show the words of a profile in a form, or store them; beside it the picture."""
    profile = profiles.profile_of(row)
    form = ProfileForm(row, profile, request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            profiles.change_words(
                actor=actor_of(request),
                row=row,
                words=form.words(),
                display_name=form.cleaned_data["display_name"],
            )
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("Profile saved."))
            return redirect(places.settings)
    context = {**profile_context(row, places, form), **more}
    return render(request, template, context, status=422 if form.errors else 200)


def store_picture(request: HttpRequest, row: Named, back: str) -> HttpResponse:
    """Store the picture that was sent, or remove the one there is; say on the next page what came of it."""
    upload = request.FILES.get("picture")
    try:
        if "remove" in request.POST:
            profiles.remove_picture(actor=actor_of(request), row=row)
            messages.success(request, _("Picture removed."))
        elif upload is None:
            messages.error(request, _("Choose a picture first."))
        else:
            crop = CropForm(request.POST).crop()
            profiles.change_picture(actor=actor_of(request), row=row, upload=upload, crop=crop)
            messages.success(request, _("Picture saved."))
    except DomainError as error:
        if error.status in {403, 404}:
            raise
        messages.error(request, error.message)
    return redirect(back)


def store_intro(request: HttpRequest, row: Named, back: str) -> HttpResponse:
    """Store an intro and show the page again."""
    profiles.change_intro(actor=actor_of(request), row=row, intro=request.POST.get("intro", ""))
    return redirect(back)


@declare(Open.SIGNED_IN)
@require_GET
def settings_home(request: HttpRequest) -> HttpResponse:
    """Lead to the first section (ACC-2)."""
    return redirect("accounts:profile")


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Settings, section Profile (ACC-1)."""
    user = signed_in_user(request)
    places = ProfileUrls(
        page=reverse("runs:entity", args=[user.username]),
        settings=reverse("accounts:profile"),
        words=reverse("accounts:profile"),
        picture=reverse("accounts:profile_picture"),
    )
    return show_profile_section(
        request, user, places, "settings/profile.html", {"audiences": ProfileAudience.choices}
    )


@declare(Open.SIGNED_IN)
@require_POST
def profile_picture(request: HttpRequest) -> HttpResponse:
    """Take or remove one's own picture."""
    return store_picture(request, signed_in_user(request), "accounts:profile")


@declare(Open.SIGNED_IN)
@require_POST
def profile_intro(request: HttpRequest) -> HttpResponse:
    """Store one's own intro (ACC-3)."""
    user = signed_in_user(request)
    return store_intro(request, user, reverse("runs:entity", args=[user.username]))


@declare(Open.ANYONE)  # its address holds the digest: who has it has seen the picture's owner
@require_GET
def picture(request: HttpRequest, name: str, digest: str) -> HttpResponse:
    """Send a picture, which never changes under its address."""
    row = Picture.objects.filter(claim__text=name, digest=digest).first()
    if row is None:
        return HttpResponseNotFound()  # no page: whoever asks wants a picture, not the sign-in page
    return HttpResponse(bytes(row.content), "image/webp", headers={"Cache-Control": _FOR_EVER})


@declare(Open.ANYONE)  # signed by the page that shows it
@require_GET
def shown_picture(request: HttpRequest) -> HttpResponse:
    """Send a picture of another host (ACC-4). The editor of somebody signed in may show what nobody signed yet."""
    url = request.GET.get("url", "")
    in_editor = request.user.is_authenticated and request.headers.get("Sec-Fetch-Site") == "same-origin"
    if not in_editor and not is_signed_picture(url, request.GET.get("signature", "")):
        return HttpResponseNotFound()
    try:
        found = external_picture(url)
    except NotFound:
        return HttpResponseNotFound()
    headers = {
        "Cache-Control": f"private, max-age={KEPT_S}",
        "Content-Security-Policy": _NOTHING_RUNS,
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(found.content, found.content_type, headers=headers)
