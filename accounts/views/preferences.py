"""The sections Save code and Appearance and language."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.models import CodeSaving, Theme
from accounts.settings import preferences
from accounts.views.base import signed_in_user
from common.errors import Invalid
from common.web.responses import page_of_ours

CODE_SAVING_HELP = {
    CodeSaving.ASKED: gettext_lazy(
        "Scripts with save_code=True, and scripts of teams that save code by default."
    ),
    CodeSaving.ALWAYS: gettext_lazy("Every script without save_code=False."),
    CodeSaving.NEVER: gettext_lazy(
        "No script, even if it requests it; code that an SDK sends anyway is not stored."
    ),
}
"""What each choice means, in a sentence."""


@declare(Open.SIGNED_IN)
@require_GET
def beta(request: HttpRequest) -> HttpResponse:
    """Lead from where the dark theme was once a beta feature to where it is chosen (ACC-5)."""
    return redirect("accounts:language")


@declare(Open.SIGNED_IN)
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Store the theme that a script was told of."""
    choice = request.POST.get("theme", "").replace("system", "")
    preferences.choose_theme(actor=actor_of(request), user=signed_in_user(request), theme=choice)
    return HttpResponse(status=204)


@declare(Open.SIGNED_IN)
@require_POST
def audience(request: HttpRequest) -> HttpResponse:
    """Store who sees one's profile (ACC-3)."""
    choice = request.POST.get("audience", "")
    try:
        preferences.choose_audience(actor=actor_of(request), user=signed_in_user(request), audience=choice)
        messages.success(request, _("Saved."))
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("accounts:profile")


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def code_saving(request: HttpRequest) -> HttpResponse:
    """Settings, section Save code."""
    user = signed_in_user(request)
    if request.method == "POST":
        choice = request.POST.get("code_saving", "")
        preferences.choose_code_saving(actor=actor_of(request), user=user, choice=choice)
        messages.success(request, _("Saved."))
        return redirect("accounts:code_saving")
    rows = [(choice, choice == user.code_saving, CODE_SAVING_HELP[choice]) for choice in CodeSaving]
    return render(request, "settings/code_saving.html", {"rows": rows})


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def language(request: HttpRequest) -> HttpResponse:
    """Settings, section Appearance and language: the theme (ACC-5) and the language (UI-9)."""
    user = signed_in_user(request)
    if "theme" in request.POST:  # a script sends it to the view `theme`
        choice = request.POST["theme"].replace("system", "")
        preferences.choose_theme(actor=actor_of(request), user=user, theme=choice)
        return redirect("accounts:language")
    if request.method == "POST":
        choice = request.POST.get("language", "")
        preferences.choose_language(actor=actor_of(request), user=user, language=choice)
        with preferences.in_language_of(user) if choice else translation.override(None):
            messages.success(request, _("Language saved."))
        answer = redirect("accounts:language")
        return _with_cookie(answer, choice)
    themes = [(value or "system", label) for value, label in Theme.choices]
    context = {
        "languages": own_names(),
        "chosen": user.language,
        "themes": themes,
        "theme": user.theme or "system",
    }
    return render(request, "settings/language.html", context)


@declare(Open.ANYONE)
@require_POST
def visitor_language(request: HttpRequest) -> HttpResponse:
    """Let whoever has not signed in choose; the browser keeps it."""
    choice = request.POST.get("language", "")
    if choice and choice not in dict(settings.LANGUAGES):
        raise Invalid(_("Unknown language."))
    return _with_cookie(redirect(page_of_ours(request, request.POST.get("next", ""))), choice)


def own_names() -> list[tuple[str, str]]:
    """Return code and name of each language, the name as its speakers write it."""
    return [(code, translation.get_language_info(code)["name_local"]) for code, _name in settings.LANGUAGES]


def _with_cookie(answer: HttpResponse, language: str) -> HttpResponse:
    """Let the browser's pages speak the language after signing out, too."""
    if not language:
        answer.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
        return answer
    year_s = 365 * 24 * 3600
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, language, max_age=year_s, secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True, samesite="Lax",
    )  # fmt: skip
    return answer
