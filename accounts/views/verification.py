"""Pages of an address that waits to be confirmed, and of the links of mails that prove one (ACC-20, ACC-34)."""

from typing import Any, cast

from allauth.account.forms import UserTokenForm
from allauth.account.internal.flows.email_verification import verify_email_and_resume
from allauth.account.internal.templatekit import get_entrance_context_data
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from allauth.account.views import PasswordResetFromKeyView
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.routes import Open, declare
from accounts.email_addresses import verification
from accounts.email_addresses.verification import STATUSES, LinkState
from accounts.sign_in.forms import KNOWN_ADDRESS, AddressForm
from common.errors import TooManyRequests


@declare(Open.ANYONE)  # whose sign-in waits is in the session
@never_cache
@require_http_methods(["GET", "POST"])
def waiting(request: HttpRequest) -> HttpResponseBase:
    """Say where the mail went; a POST sends it again, or takes another address."""
    stage = verification.stage_of(request)
    address = verification.address_of_login(stage.login) if stage else None
    if stage is None or address is None:
        if request.user.is_authenticated:
            return redirect("accounts:emails")
        return render(request, "account/verification_sent.html", {"is_over": True})
    if address.verified:  # by the link, in another browser
        return cast("HttpResponseBase", stage.exit())
    form = AddressForm(request.POST if "change" in request.POST else None)
    refusal = None
    if request.method == "POST":
        try:
            if _change_address(request, stage.login, address, form):
                return redirect("account_email_verification_sent")
        except TooManyRequests as error:
            refusal = error
    reply = _page_of_waiting(request, stage.login, address, form, refusal)
    if refusal is not None:
        reply["Retry-After"] = str(refusal.wait_s)
    return reply


def _change_address(request: HttpRequest, login: Any, address: EmailAddress, form: AddressForm) -> bool:
    """Send the mail again, or to another address; whether that was done."""
    if "change" not in request.POST:
        verification.send_again(request, address, signup=login.signup)
        return True
    if not form.is_valid():
        return False
    try:
        verification.change_address(request, login, form.cleaned_data["email"].lower())
    except ValidationError as error:
        form.add_error("email", error)
        return False
    return True


def _page_of_waiting(
    request: HttpRequest,
    login: Any,
    address: EmailAddress,
    form: AddressForm,
    refusal: TooManyRequests | None,
) -> HttpResponse:
    left = verification.wait_s(request, address.email)
    context = {
        "email": address.email,
        "refusal": refusal,
        "wait": verification.wait_text(left) if left else "",
        "form": form,
        "can_change": verification.can_change(login),
    }
    status = refusal.status if refusal else 422 if form.errors else 200
    return render(request, "account/verification_sent.html", context, status=status)


@declare(Open.ANYONE)  # the link is the credential
@never_cache
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest, key: str) -> HttpResponseBase:
    """Ask whether an address is one's own, as programs open links, too; say of a dead link what to do next."""
    link = verification.read_link(request, key)
    if request.method == "POST" and link.address is not None:
        if link.state is LinkState.OPEN:
            return _confirmed(request, link.address)
        if link.state is LinkState.EXPIRED:
            return _mailed_anew(request, key, link.address)
    if link.state is LinkState.SPENT and link.address and not request.user.is_authenticated:
        request.session[KNOWN_ADDRESS] = link.address.email
    return _page_of_link(request, key, link)


def _page_of_link(request: HttpRequest, key: str, link: verification.Link, **more: Any) -> HttpResponse:
    context = {
        **get_entrance_context_data(request), "state": link.state.value, "address": link.address, "key": key,
        "days": settings.ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS, **more,
    }  # fmt: skip
    return render(request, "account/email_confirm.html", context, status=STATUSES[link.state])


def _confirmed(request: HttpRequest, address: EmailAddress) -> HttpResponseBase:
    """Confirm it; who signed up in this browser is signed in, and anybody else signs in with it."""
    confirmed, reply = verify_email_and_resume(request, EmailConfirmationHMAC(address))
    if reply is not None:
        return cast("HttpResponseBase", reply)
    if confirmed is None:  # another account was faster
        return _page_of_link(request, "", verification.Link(LinkState.TAKEN, address))
    if request.user.is_authenticated:
        return redirect("accounts:emails")
    request.session[KNOWN_ADDRESS] = address.email
    return redirect("account_login")


def _mailed_anew(request: HttpRequest, key: str, address: EmailAddress) -> HttpResponse:
    """Send a new link to the address of one that has expired, which only its owner reads."""
    refusal = None
    try:
        verification.send_again(request, address, signup=False)
    except TooManyRequests as error:
        refusal = error
    link = verification.Link(LinkState.EXPIRED, address)
    reply = _page_of_link(request, key, link, is_sent=refusal is None, refusal=refusal)
    reply.status_code = refusal.status if refusal else 200
    for name, value in (refusal.headers if refusal else {}).items():
        reply[name] = value
    return reply


class ResetView(PasswordResetFromKeyView):  # type: ignore[misc]  # allauth has no type stubs
    """Allauth's page of a link that sets a new password, which says so of a dead one and signs nobody out unasked."""

    def dispatch(self, request: HttpRequest, uidb36: str, key: str, **kwargs: Any) -> HttpResponseBase:
        """Refuse the link of another account than the one that is signed in; answer 410 for one that is dead."""
        is_another = request.user.is_authenticated and user_pk_to_url_str(request.user) != uidb36
        if is_another and UserTokenForm(data={"uidb36": uidb36, "key": key}).is_valid():
            return render(
                request, "account/password_reset_from_key.html", {"is_for_another": True}, status=403
            )
        reply: Any = super().dispatch(request, uidb36, key, **kwargs)
        if (getattr(reply, "context_data", None) or {}).get("token_fail"):
            reply.status_code = 410
        return cast("HttpResponseBase", reply)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add how long a link is good."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"days": settings.PASSWORD_RESET_TIMEOUT // 86400}


reset = declare(Open.ANYONE)(never_cache(ResetView.as_view()))
