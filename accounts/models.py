"""Who exists: names, users, API keys; where else they sign in; and the mail on its way to them."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.validators import URLValidator
from django.db import models
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from common.crypto import FINGERPRINT_LENGTH, seal, unseal
from common.models import Timestamped


class Name(models.Model):
    """One taken name of a user, team or organization. Never deleted, so that a name is never given again."""

    text = models.CharField("name", max_length=64, help_text="As it was typed.")
    picture = models.CharField(
        max_length=64, blank=True, help_text="Digest of the picture; without one, initials are shown."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "reserved name"
        constraints = [models.UniqueConstraint(Lower("text"), name="accounts_name_once")]

    def __str__(self) -> str:
        return self.text

    @property
    def picture_url(self) -> str:
        """The path of the picture, which changes with it; "" where there is none."""
        return reverse("accounts:picture", args=[self.text, self.picture]) if self.picture else ""


class Profile(Timestamped):
    """What a person or team tells about themselves; whoever may see their page reads it (ACC-1, TEAM-10)."""

    claim = models.OneToOneField(Name, models.CASCADE, related_name="profile")
    bio = models.CharField(max_length=200, blank=True, help_text="One sentence, plain text.")
    institution = models.CharField(max_length=120, blank=True)
    location = models.CharField(max_length=120, blank=True)
    links = models.JSONField(default=list, blank=True, help_text="List of {label, url}, in order.")
    intro = models.TextField(blank=True, help_text="Markdown, see common.markdown.")

    def __str__(self) -> str:
        return f"profile of {self.claim_id}"


class Picture(models.Model):
    """The picture of a name: small, and in the database, so that every node has it and a restore brings it back."""

    claim = models.OneToOneField(Name, models.CASCADE, related_name="picture_content")
    digest = models.CharField(max_length=64, help_text="Hex SHA-256 of the content; Name.picture repeats it.")
    content = models.BinaryField(help_text="WebP, 256 pixels square, without metadata.")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest[:12]


class ProfileAudience(models.TextChoices):
    """Who sees somebody's profile."""

    EVERYONE = "everyone", _("Everyone")
    SIGNED_IN = "signed_in", _("Signed-in people")
    SHARED = "shared", _("People in my teams or organizations")


class Theme(models.TextChoices):
    """Which colours pages have."""

    SYSTEM = "", _("System")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class CodeSaving(models.TextChoices):
    """Whether SDKs upload the program that logs."""

    ASKED = "", _("Script decides")
    ALWAYS = "always", pgettext_lazy("code saving", "Always")
    NEVER = "never", pgettext_lazy("code saving", "Never")


class UserKind(models.TextChoices):
    """Who stands behind a user row."""

    PERSON = "person", _("Person")
    SERVICE = "service", _("Service account")


class UserManager(BaseUserManager["User"]):
    """Looks users up for sign-in; they are made by ``services.create_user``."""

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find by username, whatever its case."""
        return self.get(username__iexact=username)


class User(AbstractBaseUser, Timestamped):
    """A person or a service account. Its username is its entity in URLs and in the SDK."""

    claim = models.OneToOneField(Name, models.PROTECT, related_name="user")
    username = models.CharField(max_length=64, unique=True, help_text="The reserved name.")
    display_name = models.CharField(max_length=120, blank=True)
    email = models.EmailField(blank=True, help_text="The primary address.")
    kind = models.CharField(max_length=10, default=UserKind.PERSON)
    language = models.CharField(
        max_length=16, blank=True, help_text="Of pages and emails; empty follows the browser."
    )
    theme = models.CharField(max_length=5, blank=True, help_text="light, dark, or as the system has it.")
    code_saving = models.CharField(
        max_length=6, blank=True, help_text="Whether SDKs upload programs: always, never, or as scripts ask."
    )
    profile_visible_to = models.CharField(
        max_length=10,
        choices=ProfileAudience,
        default=ProfileAudience.EVERYONE,
        help_text="Besides themselves.",
    )
    is_active = models.BooleanField("active", default=True)
    is_operator = models.BooleanField(
        "operator", default=False, help_text="Runs the installation and works in this admin."
    )
    deleted_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Set once the account was deleted; only its name is left.",
    )

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["email"]
    impersonated_by = ""
    """The operator who acts as this user in the request under way, no column; see
    `accounts.operators.impersonation`."""
    objects = UserManager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind=UserKind.PERSON) | models.Q(is_operator=False),
                name="accounts_user_operators_are_people",
            )
        ]

    def __str__(self) -> str:
        return self.username

    @property
    def is_service_account(self) -> bool:
        """Whether a program, not a person, stands behind this user."""
        return self.kind == UserKind.SERVICE

    @property
    def is_staff(self) -> bool:
        """Django admin's word for an operator."""
        return self.is_active and self.is_operator

    def has_perm(self, perm: str, obj: object = None) -> bool:
        """Django admin asks this; operators may everything there, nobody else anything."""
        return self.is_staff

    def has_module_perms(self, app_label: str) -> bool:
        """As has_perm, for a whole app."""
        return self.is_staff


def display_name_of(user: User) -> str:
    """Return what pages and mails call a user."""
    return user.display_name or user.username


class ApiKey(models.Model):
    """A key for programs (ACC-40). Only the prefix and a keyed hash are stored."""

    user = models.ForeignKey(User, models.CASCADE, related_name="api_keys")
    label = models.CharField(max_length=120, blank=True)
    prefix = models.CharField(
        max_length=8, unique=True, help_text="The first characters of the secret; they identify the key."
    )
    hash = models.CharField(max_length=64, help_text="Hex HMAC-SHA256 of the whole secret.")
    hashed_by = models.CharField(
        max_length=FINGERPRINT_LENGTH,
        blank=True,
        db_default="",
        editable=False,
        help_text="Fingerprint of the installation's secret key that hashed it.",
    )
    scopes = models.JSONField(
        null=True, blank=True, help_text="Actions the key is limited to; empty means no limit."
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    end_told_at = models.DateTimeField(
        "expiry notice at",
        null=True,
        editable=False,
        help_text="When its owner was told that it expires, or need not be; empty while that waits.",
    )
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")
    last_used_address = models.CharField("last used from", max_length=64, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = "API key"
        indexes = [
            models.Index(
                fields=["expires_at"], condition=models.Q(end_told_at=None), name="accounts_apikey_untold"
            )
        ]

    def __str__(self) -> str:
        return f"{self.label or gettext('unnamed')} ({self.prefix}…)"

    @property
    def shown_name(self) -> str:
        """What pages call it."""
        return self.label or f"ry-{self.prefix}…"

    @property
    def is_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and self.expires_at <= timezone.now()


class OutboxMail(models.Model):
    """A mail that waits to be sent; or, where no mail server is configured, one that operators read in its place."""

    to = models.EmailField("recipient")
    subject = models.CharField(max_length=300)
    text = models.TextField()
    html = models.TextField()
    headers = models.JSONField(
        default=dict, help_text="Additional headers, such as the Message-ID that each attempt repeats."
    )
    created_at = models.DateTimeField(default=timezone.now)
    try_at = models.DateTimeField("next attempt at", default=timezone.now, help_text="UTC.")
    attempt_count = models.PositiveSmallIntegerField("attempts", default=0)
    error = models.CharField(
        "last error", max_length=300, blank=True, help_text="What the mail server answered last."
    )
    is_refused = models.BooleanField(
        "refused",
        default=False,
        help_text="It cannot be sent as it is; later emails to the address do not wait for it.",
    )
    kept_at = models.DateTimeField(
        null=True, help_text="When it was kept to be read here instead of being sent; empty while it waits."
    )

    class Meta:
        ordering = ["-pk"]
        verbose_name = "outgoing email"
        indexes = [
            models.Index(fields=["kept_at", "try_at"], name="accounts_outboxmail_waiting"),
            models.Index(fields=["to"], name="accounts_outboxmail_to"),
        ]

    def __str__(self) -> str:
        return self.subject


class UnprovenAddress(models.Model):
    """Since when an address, which allauth stores without a date, waits to be verified."""

    address = models.OneToOneField(
        "account.EmailAddress", models.CASCADE, related_name="unproven", primary_key=True
    )
    since = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.address)


class InstallationSetting(Timestamped):
    """A setting that operators changed at run time; the environment wins (common.installation_settings)."""

    name = models.CharField(max_length=40, unique=True)
    value = models.JSONField()

    def __str__(self) -> str:
        return self.name


class ProviderKind(models.TextChoices):
    """What a sign-in provider speaks."""

    OIDC = "oidc", _("OpenID Connect")
    GITHUB = "github", "GitHub"


class SignInProvider(Timestamped):
    """Where else people sign in (ACC-21): any OpenID Connect provider, or GitHub (ACC-7)."""

    kind = models.CharField(max_length=10, choices=ProviderKind.choices, default=ProviderKind.OIDC)
    slug = models.SlugField(
        max_length=40,
        unique=True,
        help_text=_(
            "Part of the callback URL. It cannot be changed later, because accounts are linked by it."
        ),
    )
    name = models.CharField(max_length=40, help_text=_("Shown on the button: “Continue with …”."))
    issuer = models.CharField(
        _("issuer URL"),
        max_length=200,
        validators=[URLValidator(["https", "http"])],
        blank=True,
        help_text=_("The URL of an OpenID Connect provider; its /.well-known document is read."),
    )
    client_id = models.CharField(_("client ID"), max_length=190)
    sealed_secret = models.TextField(
        blank=True, editable=False, help_text="Encrypted with the installation's key."
    )
    organization = models.ForeignKey(
        Name,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text=_("The organization that the provider belongs to; empty for the whole installation."),
    )
    email_domains = models.CharField(
        _("allowed email domains"),
        max_length=500,
        blank=True,
        help_text=_("Only addresses of these domains may sign in, separated by spaces; empty allows all."),
    )
    vouches_for_email = models.BooleanField(
        _("trusted addresses"),
        default=False,
        help_text=_(
            "Treat its addresses as verified even if it does not say so (Entra ID). Only for providers where people"
            " cannot choose their address, and only with allowed domains set."
        ),
    )
    makes_accounts = models.BooleanField(
        _("automatic sign-up"),
        default=True,
        help_text=_("Create an account when someone signs in for the first time."),
    )
    groups_claim = models.CharField(
        max_length=60, blank=True, help_text=_("The claim that lists a person’s groups, such as “groups”.")
    )
    is_enabled = models.BooleanField(_("enabled"), default=True)

    class Meta:
        ordering = ["name"]
        verbose_name = "sign-in provider"
        constraints = [
            models.UniqueConstraint(
                fields=["kind"], condition=models.Q(kind="github"), name="accounts_signinprovider_one_github"
            ),
            models.CheckConstraint(
                condition=models.Q(kind="github", slug="github") | models.Q(kind="oidc", issuer__gt=""),
                name="accounts_signinprovider_whole",
            ),
            models.CheckConstraint(
                condition=models.Q(vouches_for_email=False) | models.Q(email_domains__gt=""),
                name="accounts_signinprovider_vouches_for_domains",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def secret(self) -> str:
        """The client secret, "" for none."""
        return unseal("sign-in provider", self.sealed_secret)

    @secret.setter
    def secret(self, text: str) -> None:
        self.sealed_secret = seal("sign-in provider", text)

    @property
    def domains(self) -> list[str]:
        """The domains of ``email_domains``, in lower case."""
        return self.email_domains.replace(",", " ").lower().split()

    def takes(self, address: str) -> bool:
        """Whether somebody with this address may come in through it."""
        return not self.domains or address.rpartition("@")[2].lower() in self.domains
