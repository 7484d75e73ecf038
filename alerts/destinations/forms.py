"""Forms of the pages of destinations."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from alerts.models import Destination
from alerts.payloads.presets import PRESETS
from alerts.payloads.templating import MAX_TEMPLATE, check_template
from alerts.transports.addresses import check_slack, check_webhook
from alerts.transports.slack_blocks import mention_of
from common.errors import DomainError
from common.safe_http.addresses import MAX_URL
from teams.models import Team


def _form_error(error: DomainError) -> forms.ValidationError:
    return forms.ValidationError(error.message)


class _DestinationForm(forms.Form):
    """What all destinations have."""

    name = forms.CharField(label=_("Name"), max_length=64)
    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_URL,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, team: Team, destination: Destination | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.team, self.destination = team, destination
        if destination is not None:
            self.initial = {**self.initial, "name": destination.name, "mention": destination.mention}
            self.fields["url"].required = False
            kept = gettext("Leave empty to keep the current one, at %(host)s. It is not shown again.")
            self.fields["url"].help_text = kept % {"host": destination.place}


class SlackForm(_DestinationForm):
    """A channel of Slack."""

    mention = forms.CharField(
        label=_("Mention"), max_length=40, required=False,
        help_text=_(
            "Who to mention in each message: “here”, “channel”, or the ID of a member or group, such as "
            "U024BE7LH (in a member’s profile: More, then Copy member ID)."
        ),
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].widget.attrs["placeholder"] = "#training-alerts"
        if self.destination is None:
            self.fields["url"].widget.attrs["placeholder"] = "https://hooks.slack.com/services/…"
        elif self.destination.kind == "slack":
            del self.fields["url"]

    def clean_url(self) -> str:
        """Take addresses of Slack only."""
        url = str(self.cleaned_data["url"])
        try:
            if url:
                check_slack(url)
        except DomainError as error:
            raise _form_error(error) from None
        return url

    def clean_mention(self) -> str:
        """Take ids of Slack only."""
        mention = str(self.cleaned_data["mention"]).strip().removeprefix("@")
        if mention and not mention_of(mention):
            raise forms.ValidationError(gettext("This isn’t a Slack ID. An example is U024BE7LH."))
        return mention


class WebhookForm(_DestinationForm):
    """A webhook, its payload and its secrets."""

    preset = forms.ChoiceField(label=_("Service"), required=False)
    access_token_name = forms.ChoiceField(
        label=_("Access token"), required=False,
        help_text=_("A secret sent as “Authorization: Bearer …”."),
    )  # fmt: skip
    signing_secret_name = forms.ChoiceField(
        label=_("Signing secret"), required=False,
        help_text=_("A secret the receiver uses to verify that a request comes from here and was not changed."),
    )  # fmt: skip
    template = forms.CharField(
        label=_("Template"), required=False, max_length=MAX_TEMPLATE, strip=False,
        widget=forms.Textarea({"rows": 16, "spellcheck": "false", "autocomplete": "off", "wrap": "off"}),
        help_text=_("JSON with ${variables}. Leave empty or unchanged to use the service’s default."),
    )  # fmt: skip

    def __init__(
        self, *args: Any, preset: str = "", secret_names: list[str] | None = None, **kwargs: Any
    ) -> None:
        """Offer the team's secrets; None, to whoever may not know them, only those that are used already."""
        super().__init__(*args, **kwargs)
        self.secret_names = secret_names
        row = self.destination
        chosen = PRESETS[row.preset if row is not None and row.preset in PRESETS else preset]
        self.fields["url"].widget.attrs["placeholder"] = chosen.example
        self._offer("preset", [(key, entry.label) for key, entry in PRESETS.items()])
        for field in ("access_token_name", "signing_secret_name"):
            used = getattr(row, field, "")
            names = secret_names if secret_names is not None else [used] if used else []
            self._offer(field, [("", gettext("None")), *((name, name) for name in names)])
        self.initial.setdefault("preset", preset)
        self.initial.setdefault("template", chosen.template)
        if row is None:
            self.fields["preset"].widget = forms.HiddenInput()
            return
        self.initial = {
            **self.initial, "preset": row.preset, "template": row.template or chosen.template,
            "access_token_name": row.access_token_name, "signing_secret_name": row.signing_secret_name,
        }  # fmt: skip

    def _offer(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
        field.choices = choices

    def clean_url(self) -> str:
        """Take addresses of the web only."""
        url = str(self.cleaned_data["url"])
        try:
            if url:
                check_webhook(url)
        except DomainError as error:
            raise _form_error(error) from None
        return url

    def clean(self) -> dict[str, Any]:
        """Check the payload; that of a preset is not kept, so that it stays as the service wants it."""
        data = super().clean() or self.cleaned_data
        template = str(data.get("template", "")).replace("\r\n", "\n").strip()
        own = {preset.template for preset in PRESETS.values()}
        data["template"] = "" if template in own else template
        try:
            template = data["template"] or PRESETS[data.get("preset", "")].template
            check_template(template, secret_names=self.secret_names)
        except DomainError as error:
            self.add_error("template", error.message)
        return data
