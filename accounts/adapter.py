"""How allauth makes users here: names from the one name space, sign-up by policy."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.models import User
from accounts.names import check_name
from accounts.services import add_user, is_taken
from accounts.signals import invited_address
from common.errors import DomainError


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no type stubs
    """Hooks that allauth calls."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether strangers may make an account, or this one was invited (ACC-22)."""
        return bool(settings.SIGNUP_OPEN or invited_address(request))

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """Whether the address needs no confirmation: the invitation came by mail to it (TEAM-3)."""
        return bool(email) and email.lower() == invited_address(request)

    def clean_username(self, username: str, shallow: bool = False) -> str:  # noqa: FBT001, FBT002 - allauth's
        """Refuse what the name space refuses.

        Raises:
            ValidationError: shown beside the field.
        """
        try:
            check_name(username)
        except DomainError as error:
            raise ValidationError(error.message) from error
        if not shallow and is_taken(username):
            raise ValidationError(f"The name {username!r} is taken by another user, team or organization.")
        return username

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:  # noqa: FBT001, FBT002
        """Save a person who signed up, with name and personal team, in one transaction."""
        user = super().save_user(request, user, form, commit=False)
        return add_user(user=user) if commit else user
