"""Who exists: names, users, API keys."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from common.models import Timestamped


class Name(models.Model):
    """One taken name of a user, team or organization. Never deleted, so that a name is never given again."""

    text = models.CharField(max_length=64, help_text="As it was typed.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(Lower("text"), name="accounts_name_once")]

    def __str__(self) -> str:
        return self.text


class UserKind(models.TextChoices):
    """Who stands behind a user row."""

    PERSON = "person", "Person"
    SERVICE = "service", "Service account"


class UserManager(BaseUserManager["User"]):
    """Looks users up for sign-in; they are made by ``services.create_user``."""

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find by username, whatever its case."""
        return self.get(username__iexact=username)


class User(AbstractBaseUser, Timestamped):
    """A person or a service account. Its username is its entity in URLs and in the SDK."""

    claim = models.OneToOneField(Name, models.PROTECT, related_name="user")
    username = models.CharField(max_length=64, unique=True, help_text="Equals the claimed name.")
    display_name = models.CharField(max_length=120, blank=True)
    email = models.EmailField(blank=True, help_text="The primary address; allauth keeps it in step.")
    kind = models.CharField(max_length=10, default=UserKind.PERSON)
    is_active = models.BooleanField(default=True)
    is_operator = models.BooleanField(
        default=False, help_text="Runs the installation; works in the Django admin."
    )

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["email"]
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
        max_length=8, unique=True, help_text="First characters of the secret; finds the row."
    )
    hash = models.CharField(max_length=64, help_text="Hex HMAC-SHA256 of the whole secret.")
    scopes = models.JSONField(
        null=True, blank=True, help_text="Actions the key is limited to; null is no limit."
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")
    last_used_address = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = "API key"

    def __str__(self) -> str:
        return f"{self.label or 'unnamed'} ({self.prefix}…)"

    @property
    def is_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and self.expires_at <= timezone.now()
