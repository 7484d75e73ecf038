"""People, their ways in, and mail, for operators (TEAM-21)."""

from typing import Any

from allauth.account import admin as _addresses  # noqa: F401 - registers what is replaced below
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as _connections  # noqa: F401 - as above
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions import admin as _sessions  # noqa: F401 - as above
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html

from access.audit.log import record
from access.web.requests import actor_of
from accounts.api_keys import services as key_services
from accounts.lifecycle import account_merge, administration, services
from accounts.mail import outbox
from accounts.models import ApiKey, Name, OutboxMail, SignInProvider, User, UserKind
from accounts.operators import impersonation
from accounts.operators.admin_actions import ActionContext, AdminAction, AuditedAdmin, ServedAdmin
from accounts.operators.admin_forms import DisplayNameForm, MergeForm, NewUserForm, ReasonForm
from accounts.profile.services import rename
from accounts.sign_in.forms import SignInProviderForm
from accounts.sign_in.providers import callback_url

for _model in (EmailAddress, SocialAccount, UserSession):
    admin.site.unregister(_model)  # allauth's own write past our services


def _create_user(context: ActionContext[User]) -> Any:
    typed = context.typed
    user = services.create_user(actor=context.actor, username=typed["username"], email=typed["email"])
    if typed["mail_link"]:
        administration.send_password_reset(request=context.request, user=user)
    return redirect("admin:accounts_user_change", user.pk)


def _rename(context: ActionContext[User]) -> None:
    rename(actor=context.actor, row=context.row, display_name=context.typed["display_name"])


def _reset_second_factors(context: ActionContext[User]) -> str:
    return f"{administration.reset_second_factors(actor=context.actor, user=context.row)} removed."


def _set_active(context: ActionContext[User], *, is_active: bool) -> None:
    services.set_active(actor=context.actor, user=context.row, is_active=is_active)


def _set_operator(context: ActionContext[User], *, is_operator: bool) -> None:
    administration.set_operator(actor=context.actor, user=context.row, is_operator=is_operator)


def _merge(context: ActionContext[User]) -> Any:
    target = context.typed["into"]
    account_merge.merge_accounts(
        actor=context.actor, source=context.row, target=target, typed=context.typed["typed"]
    )
    return redirect("admin:accounts_user_change", target.pk)


def _impersonate(context: ActionContext[User]) -> Any:
    state = impersonation.begin(actor=context.actor, user=context.row, reason=context.typed["reason"])
    context.request.session[impersonation.SESSION_KEY] = state
    return redirect("/")


def _is_person(user: User) -> bool:
    return user.kind == UserKind.PERSON and user.deleted_at is None


def _can_sign_in(user: User) -> bool:
    return _is_person(user) and user.is_active


@admin.register(User)
class UserAdmin(ServedAdmin[User]):
    """Everybody who has a name here and signs in, or did."""

    list_display = [
        "username", "display_name", "email", "kind", "is_active", "is_operator", "second_factor", "key_count",
        "last_login", "created_at",
    ]  # fmt: skip
    list_filter = ["is_active", "is_operator", "kind", "created_at"]
    search_fields = ["username", "display_name", "email", "emailaddress__email"]
    date_hierarchy = "created_at"
    fields = [
        "username", "display_name", "email", "kind", "language", "is_active", "is_operator", "last_login",
        "created_at", "deleted_at",
    ]  # fmt: skip
    creation = AdminAction(
        slug="add", label="Create an account", do=_create_user, form=NewUserForm,
        text="The person also gets a personal entity of the same name.",
    )  # fmt: skip
    acts = (
        AdminAction(slug="rename", label="Change display name", form=DisplayNameForm, fits=_is_person,
            do=_rename),
        AdminAction(slug="deactivate", label="Deactivate account", in_bulk=True, fits=lambda user: user.is_active,
            text="Sign-in and API keys stop working at once. What the account logged stays.",
            do=lambda context: _set_active(context, is_active=False)),
        AdminAction(slug="reactivate", label="Reactivate account", in_bulk=True,
            fits=lambda user: not user.is_active and user.deleted_at is None,
            text="Sign-in and API keys work again.", do=lambda context: _set_active(context, is_active=True)),
        AdminAction(slug="end-sessions", label="End all sessions", in_bulk=True, fits=_is_person,
            text="Every browser is signed out. API keys keep working.",
            do=lambda context: f"{administration.end_sessions(actor=context.actor, user=context.row)} sessions ended."),
        AdminAction(slug="send-reset", label="Send password reset", fits=_can_sign_in,
            text="A link to choose a new password is sent to the primary address.",
            do=lambda context: administration.send_password_reset(request=context.request, user=context.row)),
        AdminAction(slug="reset-factors", label="Remove second factors", is_dangerous=True, fits=_is_person,
            text="The authenticator app, passkeys and recovery codes are removed, every browser is signed out, and the"
            " person is notified by email. Make sure that you know who asked for it.",
            do=_reset_second_factors),
        AdminAction(slug="impersonate", label="Act as this person", is_dangerous=True, form=ReasonForm,
            fits=impersonation.may_be_acted_as,
            text="You see and can do what they can, for at most an hour. The audit log shows both names. API keys,"
            " addresses, passwords and everything else that asks for a password again stay closed.", do=_impersonate),
        AdminAction(slug="merge", label="Merge into another account", is_dangerous=True, form=MergeForm,
            has_preview=True,
            fits=_is_person, text="For two accounts of one person. This account ends, and the other takes it over."
            " Nothing happens until you have seen what would move.", do=_merge),
        AdminAction(slug="make-operator", label="Grant operator access", is_dangerous=True,
            fits=lambda user: _can_sign_in(user) and not user.is_operator,
            text="Operators manage the installation and can reach everything in it.",
            do=lambda context: _set_operator(context, is_operator=True)),
        AdminAction(slug="unmake-operator", label="Revoke operator access", is_dangerous=True,
            fits=lambda user: user.is_operator, text="The person keeps the account, teams and runs.",
            do=lambda context: _set_operator(context, is_operator=False)),
    )  # fmt: skip
    related = (
        ("Email addresses", "account_emailaddress", "user__id__exact"),
        ("API keys", "accounts_apikey", "user__id__exact"),
        ("Sessions", "usersessions_usersession", "user__id__exact"),
        ("Social accounts", "socialaccount_socialaccount", "user__id__exact"),
        ("Organizations", "teams_organizationmember", "user__id__exact"),
        ("Teams", "teams_membership", "user__id__exact"),
        ("Runs", "runs_run", "user__id__exact"),
        ("Audit log", "access_auditentry", "user__id__exact"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Count keys, and look for second factors, in the list's own query."""
        factors = Authenticator.objects.filter(user=OuterRef("pk"))
        return super().get_queryset(request).annotate(keys=Count("api_keys"), has_factor=Exists(factors))

    @admin.display(description="API keys", ordering="keys")
    def key_count(self, user: User) -> int:
        """Show how many keys a user holds."""
        return int(getattr(user, "keys", 0))

    @admin.display(description="second factor", boolean=True, ordering="has_factor")
    def second_factor(self, user: User) -> bool:
        """Show whether signing in takes more than a password."""
        return bool(getattr(user, "has_factor", False))


@admin.register(EmailAddress)
class EmailAddressAdmin(ServedAdmin[EmailAddress]):
    """Addresses of people; one of each is primary."""

    list_display = ["email", "user", "primary", "verified"]
    list_filter = ["verified", "primary"]
    list_select_related = ["user"]
    search_fields = ["email", "user__username"]
    acts = (
        AdminAction(slug="verify", label="Mark as verified", in_bulk=True, fits=lambda address: not address.verified,
            text="The account then counts as the owner of the address. Make sure that this is true.",
            do=lambda context: administration.verify_address(actor=context.actor, address=context.row)),
        AdminAction(slug="remove", label="Remove address", in_bulk=True, fits=lambda address: not address.verified,
            text="The account loses the address, which it has not verified.",
            do=lambda context: administration.remove_address(actor=context.actor, address=context.row)),
    )  # fmt: skip


@admin.register(SocialAccount)
class ConnectionAdmin(ServedAdmin[SocialAccount]):
    """Which account opens by which provider; what a provider told of a person is not shown."""

    list_display = ["user", "provider", "uid", "last_login", "date_joined"]
    list_filter = ["provider"]
    list_select_related = ["user"]
    search_fields = ["user__username", "uid"]
    fields = ["user", "provider", "uid", "last_login", "date_joined"]


@admin.register(UserSession)
class SessionAdmin(ServedAdmin[UserSession]):
    """Browsers that are signed in."""

    list_display = ["user", "address", "user_agent", "created_at", "last_seen_at"]
    list_select_related = ["user"]
    search_fields = ["user__username", "ip"]
    date_hierarchy = "last_seen_at"
    fields = [
        "user",
        "address",
        "user_agent",
        "created_at",
        "last_seen_at",
    ]  # no session key: it opens the account
    acts = (
        AdminAction(slug="end", label="End session", in_bulk=True, text="That browser is signed out.",
            do=lambda context: administration.end_session(actor=context.actor, session=context.row)),
    )  # fmt: skip

    @admin.display(description="IP address", ordering="ip")
    def address(self, session: UserSession) -> str:
        """Show where the browser was last."""
        return str(session.ip)


@admin.register(ApiKey)
class ApiKeyAdmin(ServedAdmin[ApiKey]):
    """Keys can be revoked here, not read and not created."""

    list_display = [
        "prefix", "label", "user", "scoped", "created_at", "expires_at", "last_used_at", "last_used_address",
    ]  # fmt: skip
    list_filter = ["user__kind", "created_at", "last_used_at"]
    list_select_related = ["user"]
    search_fields = ["prefix", "label", "user__username", "last_used_address"]
    date_hierarchy = "created_at"
    exclude = ["hash"]
    acts = (
        AdminAction(slug="revoke", label="Revoke API key", in_bulk=True,
            text="Programs that use it are refused at once.",
            do=lambda context: key_services.delete_api_key(actor=context.actor, key=context.row)),
    )  # fmt: skip

    @admin.display(description="limited", boolean=True)
    def scoped(self, key: ApiKey) -> bool:
        """Show whether it is limited to some actions."""
        return key.scopes is not None


@admin.register(Name)
class NameAdmin(ServedAdmin[Name]):
    """The one name space, read only."""

    list_display = ["text", "used_by", "created_at"]
    list_select_related = ["user", "team", "organization"]
    search_fields = ["text"]
    date_hierarchy = "created_at"

    @admin.display(description="used by")
    def used_by(self, name: Name) -> str:
        """Show what bears the name."""
        return next((kind for kind in ("user", "organization", "team") if hasattr(name, kind)), "")


@admin.register(SignInProvider)
class SignInProviderAdmin(AuditedAdmin[SignInProvider]):
    """Where else people sign in (ACC-21). Those of the environment are not listed: they have no rows."""

    form = SignInProviderForm
    list_display = ["name", "kind", "slug", "issuer", "organization", "is_enabled"]
    list_filter = ["kind", "is_enabled"]
    list_select_related = ["organization"]
    search_fields = ["name", "slug", "issuer"]
    autocomplete_fields = ["organization"]
    prepopulated_fields = {"slug": ["name"]}
    readonly_fields = ["callback", "has_secret"]

    @admin.display(description="callback URL")
    def callback(self, provider: SignInProvider) -> str:
        """Show the address; before the slug is known, its form."""
        return callback_url(provider if provider.slug else SignInProvider(slug="SLUG"))

    @admin.display(description="secret stored", boolean=True)
    def has_secret(self, provider: SignInProvider) -> bool:
        """Say whether there is one, and no more."""
        return bool(provider.sealed_secret)

    def get_readonly_fields(self, request: HttpRequest, obj: SignInProvider | None = None) -> list[str]:
        """Keep kind and slug of a stored row: people are known by them."""
        return [*self.readonly_fields, *(["kind", "slug"] if obj else [])]

    def get_prepopulated_fields(
        self, request: HttpRequest, obj: SignInProvider | None = None
    ) -> dict[str, Any]:
        """Propose a slug for new rows only."""
        return {} if obj else {"slug": ["name"]}

    def save_model(self, request: HttpRequest, obj: SignInProvider, form: Any, change: bool) -> None:  # noqa: FBT001
        """Write down who changed what, without secrets."""
        super().save_model(request, obj, form, change)
        changed = [name for name in form.changed_data if name != "new_secret"]
        record(actor_of(request), "sign_in_provider.save", obj, after={"changed": changed})

    def delete_model(self, request: HttpRequest, obj: SignInProvider) -> None:
        """As for saving; people keep their accounts."""
        record(actor_of(request), "sign_in_provider.delete", obj)
        super().delete_model(request, obj)


@admin.register(OutboxMail)
class OutboxMailAdmin(ServedAdmin[OutboxMail]):
    """Mail on its way: what waits, why, and what was kept because no server is configured."""

    list_display = ["subject", "to", "status", "attempt_count", "error", "created_at", "try_at"]
    list_filter = [("kept_at", admin.EmptyFieldListFilter), "created_at"]
    search_fields = ["to", "subject", "error"]
    date_hierarchy = "created_at"
    fields = [
        "subject",
        "to",
        "status",
        "reading",
        "attempt_count",
        "error",
        "created_at",
        "try_at",
        "kept_at",
    ]
    acts = (
        AdminAction(slug="retry", label="Retry now", in_bulk=True, fits=lambda mail: mail.kept_at is None,
            text="The worker hands it to the mail server at once, even if three days of retries are over.",
            do=lambda context: outbox.retry(actor=context.actor, mail=context.row)),
        AdminAction(slug="delete", label="Delete email", in_bulk=True, text="It is never sent.",
            do=lambda context: outbox.drop(actor=context.actor, mail=context.row)),
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[OutboxMail]:
        """Leave the words out: links in them open accounts, and reading them is written down."""
        return super().get_queryset(request).defer("text", "html")

    @admin.display(description="status")
    def status(self, mail: OutboxMail) -> str:
        """Show where it is."""
        if mail.kept_at is not None:
            return "kept"
        return "failing" if mail.attempt_count else "waiting"

    @admin.display(description="text")
    def reading(self, mail: OutboxMail) -> str:
        """Lead to the page that shows a kept mail, and writes down who read it."""
        if mail.kept_at is None:
            return "Only its recipient can read it."
        return format_html(
            '<a href="{}">Read in the outbox</a>', reverse("accounts:outbox_mail", args=[mail.pk])
        )
