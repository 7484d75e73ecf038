"""Forms of sign-up, of sign-in and passwords, and of sign-in providers."""

from typing import Any

from allauth.account.forms import (
    ChangePasswordForm,
    LoginForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
    SetPasswordForm,
    SignupForm,
)
from allauth.core import context
from allauth.socialaccount.forms import SignupForm as SocialSignupForm
from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.credentials import address_claims
from accounts.membership_policy import membership_policy
from accounts.models import ProviderKind, SignInProvider
from accounts.sign_in import signup_policy

PASSWORD_RULES = _("Use at least 10 characters, and not a common password.")
"""What is worth knowing before one types; the rarer rules speak up when they refuse."""
KNOWN_ADDRESS = "known_address"
"""In a session: the address that a mailed link has just shown to be somebody's, who signs in next."""


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no type stubs
    """Allauth's form, which begins with the address that was confirmed in this browser a moment ago."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        known = context.request.session.get(KNOWN_ADDRESS, "")
        kwargs["initial"] = {"login": known} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Username or email")
        self.fields["login"].widget.attrs["autocomplete"] = "username"
        _drop_placeholders(self.fields)


def _drop_placeholders(fields: dict[str, forms.Field]) -> None:
    """Leave each field its label alone: allauth writes it into the field again."""
    for field in fields.values():
        field.widget.attrs.pop("placeholder", None)


class NewPassword:
    """What the forms that set a password have in common: our labels, and the rules in one line."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "oldpassword" in self.fields:
            self.fields["oldpassword"].label = _("Current password")
        self.fields["password1"].label = _("New password")
        self.fields["password1"].help_text = PASSWORD_RULES
        self.fields["password2"].label = _("Repeat new password")
        _drop_placeholders(self.fields)


class PasswordChangeForm(NewPassword, ChangePasswordForm):  # type: ignore[misc]  # allauth has no type stubs
    """Another password, by whoever knows the one of today."""


class FirstPasswordForm(NewPassword, SetPasswordForm):  # type: ignore[misc]  # as above
    """A password for an account that has had none."""


class PasswordResetForm(ResetPasswordForm):  # type: ignore[misc]  # as above
    """A request for the link, which goes to a verified address alone: allauth falls back to any."""

    def clean_email(self) -> str:
        """Find whose address it is; of one that no account has proven nothing but a mail to it tells."""
        email = str(super().clean_email())
        owner = address_claims.account_for(email)
        self.users = [owner] if owner is not None and owner.is_active else []
        return email


class PasswordFromLinkForm(NewPassword, ResetPasswordKeyForm):  # type: ignore[misc]  # as above
    """A password by a mailed link."""


class AddressForm(forms.Form):
    """Another address in place of the one that was typed at sign-up."""

    email = forms.EmailField(label=_("Email"), max_length=254)


class NewAddress:
    """What the forms that make an account have in common: an address that others only entered is free."""

    def validate_unique_email(self, value: str) -> str:
        """Leave allauth's rule, which counts unproven addresses, to those that are taken."""
        return str(super().validate_unique_email(value)) if address_claims.is_taken(value) else value  # type: ignore[misc]


class SignUpForm(NewAddress, SignupForm):  # type: ignore[misc]  # allauth has no type stubs
    """Allauth's form, which begins with the address that was invited."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        invited = membership_policy().invited_address(context.request)
        kwargs["initial"] = {"email": invited} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        if "password1" in self.fields:  # not where one signs up by a passkey
            self.fields["password1"].help_text = PASSWORD_RULES
        _drop_placeholders(self.fields)

    def clean_email(self) -> str:
        """Take only addresses that the policy allows (ACC-22), before it is looked whether one is known."""
        signup_policy.check_address(context.request, str(self.cleaned_data["email"]))
        return str(super().clean_email())


class SocialSignUpForm(NewAddress, SocialSignupForm):  # type: ignore[misc]  # as above
    """The last step of a first sign-in through a provider whose name for the person is taken here."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.initial.get("email"):
            self.fields["email"].disabled = True  # it came from the provider


class SignInProviderForm(forms.ModelForm[SignInProvider]):
    """A provider's row, with a secret that can be written but not read."""

    new_secret = forms.CharField(
        label=_("Client secret"),
        required=False,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_(
            "Stored encrypted and never shown. Leave it empty to keep the stored one; public clients have none."
        ),
    )
    forget_secret = forms.BooleanField(label=_("Delete the stored secret"), required=False)

    class Meta:
        model = SignInProvider
        fields = [
            "kind",
            "slug",
            "name",
            "issuer",
            "client_id",
            "organization",
            "email_domains",
            "vouches_for_email",
            "makes_accounts",
            "groups_claim",
            "is_enabled",
        ]

    def clean(self) -> dict[str, Any]:
        """Explain what the database would refuse."""
        data = super().clean() or {}
        if data.get("kind") == ProviderKind.GITHUB and data.get("slug") != "github":
            self.add_error("slug", _("GitHub’s slug is “github”."))
        if data.get("kind") == ProviderKind.OIDC and not data.get("issuer"):
            self.add_error("issuer", _("Enter the issuer URL of the provider."))
        if data.get("vouches_for_email") and not data.get("email_domains"):
            self.add_error("email_domains", _("List the email domains whose addresses are trusted."))
        return data

    def save(self, commit: bool = True) -> Any:  # noqa: FBT001, FBT002 - Django's
        """Seal a new secret."""
        if self.cleaned_data["new_secret"] or self.cleaned_data["forget_secret"]:
            self.instance.secret = self.cleaned_data["new_secret"]
        return super().save(commit)
