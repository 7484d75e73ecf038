"""What acts on accounts ask operators for."""

from typing import Any

from django import forms
from django.utils.html import format_html

from accounts.lifecycle.account_merge import plan_merge
from accounts.models import User
from accounts.operators.admin_actions import AdminActionForm


class UserField(forms.CharField):
    """A person, named by their username or an address of theirs."""

    def clean(self, value: Any) -> Any:
        """Return the user."""
        text = super().clean(value)
        if not text:
            return None
        user = User.objects.filter(username__iexact=text).first()
        user = (
            user or User.objects.filter(emailaddress__email__iexact=text, emailaddress__verified=True).first()
        )
        if user is None:
            raise forms.ValidationError(f"No user is called “{text}”, or has this verified address.")
        return user


class NewUserForm(AdminActionForm):
    """A person's new account."""

    username = forms.CharField(
        max_length=64, help_text="Unique among users, teams and organizations; it never changes."
    )
    email = forms.EmailField(help_text="Treated as verified, without a confirmation email.")
    mail_link = forms.BooleanField(
        required=False,
        initial=True,
        label="Email a password link",
        help_text="With which they choose a password.",
    )


class DisplayNameForm(AdminActionForm):
    """What pages call a person."""

    display_name = forms.CharField(max_length=120, required=False)

    def prepare(self) -> None:
        """Propose the present one."""
        self.initial["display_name"] = self.row.display_name


class ReasonForm(AdminActionForm):
    """Why; the audit log keeps it."""

    reason = forms.CharField(
        max_length=500, widget=forms.Textarea({"rows": 3}), help_text="Kept in the audit log."
    )


class MergeForm(AdminActionForm):
    """Into which account, and a name typed so that nobody merges by mistake."""

    into = UserField(label="Account to keep", help_text="Username or verified address.")
    typed = forms.CharField(label="Account to end", help_text="Type its username to confirm.", required=False)

    def preview(self) -> dict[str, Any]:
        """Say what would move, and what is in the way."""
        target = self.cleaned_data["into"]
        plan = plan_merge(self.row, target)
        rows = [
            format_html("{}: {}{}", line.what, line.count, f" ({line.note})" if line.note else "")
            for line in plan.lines
        ]
        return {
            "heading": f"{self.row} would be merged into {target}",
            "rows": rows,
            "conflicts": plan.conflicts,
            "foot": f"{self.row} ends for good: its name stays taken, its password and second factors are deleted.",
        }
