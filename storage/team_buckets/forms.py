"""The form of a bucket: fields by its provider, which become an address and credentials."""

from typing import Any
from urllib.parse import quote, urlencode

from django import forms
from django.utils.translation import gettext_lazy as _

_ANY = "provider", "key_prefix"
_KEYS = "access_key", "secret_key"
FIELDS = {
    "": ("provider",),
    "s3": (*_ANY, "bucket", "region", *_KEYS),
    "s3-server": (*_ANY, "bucket", "endpoint", "server_region", *_KEYS),
    "gs": (*_ANY, "bucket", "service_account"),
    "az": (*_ANY, "account", "container", "account_key", "signature"),
}
"""What is asked of each kind."""
PROVIDERS = [
    ("s3", "Amazon S3"),
    ("s3-server", _("Other S3-compatible storage")),
    ("gs", "Google Cloud Storage"),
    ("az", "Azure Blob Storage"),
]
_OPTIONAL = {"key_prefix", "server_region", "account_key", "signature"}
_SECRET = ("access_key", "secret_key", "service_account", "account_key", "signature")
_PLAIN = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class _SecretText(forms.Textarea):
    """Several lines that are never shown again."""

    def format_value(self, value: Any) -> str:
        """Return nothing."""
        return ""


def _text(label: Any, **more: Any) -> forms.CharField:
    return forms.CharField(label=label, max_length=500, widget=forms.TextInput(_PLAIN), **more)


def _secret(label: Any, **more: Any) -> forms.CharField:
    widget = forms.PasswordInput({"autocomplete": "new-password"})
    return forms.CharField(label=label, max_length=2000, widget=widget, **more)


class CredentialsForm(forms.Form):
    """What opens a bucket, of one kind or of a kind that is chosen; what was typed is not shown again."""

    use_required_attribute = False  # of fields that another provider has, too
    first_kind = "s3"
    """Is shown until another is chosen."""
    access_key = forms.CharField(label=_("Access key ID"), max_length=500, widget=forms.TextInput(_PLAIN))
    secret_key = _secret(_("Secret access key"))
    service_account = forms.CharField(
        label=_("Service account key"), max_length=20_000,
        widget=_SecretText({"rows": 6, "spellcheck": "false", "autocomplete": "off", "class": "font-mono"}),
        help_text=_("The complete JSON file from Google."),
    )  # fmt: skip
    account_key = _secret(_("Account key"), help_text=_("Enter this or a shared access signature."))
    signature = _secret(
        _("Shared access signature (SAS)"),
        help_text=_("For the container, with read, write, delete and list permissions."),
    )

    def __init__(self, data: Any = None, *, kind: str = "", **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self._kind = kind
        if kind:
            self.fields = {name: field for name, field in self.fields.items() if name in FIELDS[kind]}
        for name in _OPTIONAL & self.fields.keys():
            self.fields[name].required = False

    @property
    def kind(self) -> str:
        """What was chosen, or is shown first."""
        chosen = self._kind or str(self["provider"].value())
        return chosen if chosen in FIELDS else self.first_kind

    def full_clean(self) -> None:
        """Look at the fields of the chosen kind only: the others are not shown."""
        every = self.fields
        self.fields = {name: field for name, field in every.items() if name in FIELDS[self.kind]}
        super().full_clean()
        self.fields = every

    def clean(self) -> dict[str, Any]:
        """Want one of the two ways into Azure."""
        data = super().clean() or self.cleaned_data
        if self.kind == "az" and bool(data.get("account_key")) == bool(data.get("signature")):
            self.add_error("account_key", _("Enter the account key or a shared access signature, not both."))
        return data

    @property
    def credentials(self) -> dict[str, str]:
        """What was entered, as `storage.backends.settings.build_backend` takes it."""
        return {name: self.cleaned_data[name] for name in _SECRET if self.cleaned_data.get(name)}


class BucketForm(CredentialsForm):
    """A bucket, and what opens it."""

    provider = forms.ChoiceField(label=_("Provider"), choices=PROVIDERS)
    bucket = _text(_("Bucket"))
    account = _text(_("Storage account"))
    container = _text(_("Container"))
    key_prefix = _text(_("Prefix"), help_text=_("Files are stored under it, for example “runyard/vision”."))
    region = _text(_("Region"), help_text=_("For example “eu-west-1”."))
    endpoint = _text(
        _("Endpoint"),
        help_text=_("The server’s URL. Browsers and training machines must be able to reach it."),
    )
    server_region = _text(_("Region"), help_text=_("Only if the server requires one."))
    field_order = (
        "provider", "bucket", "account", "container", "key_prefix", "region", "endpoint", "server_region",
        "access_key", "secret_key", "service_account", "account_key", "signature",
    )  # fmt: skip

    @property
    def url(self) -> str:
        """The address of what was entered."""
        data = self.cleaned_data
        prefix = quote(str(data.get("key_prefix", "")).strip("/"))
        options = {
            "region": data.get("region") or data.get("server_region"),
            "endpoint": data.get("endpoint"),
        }
        query = urlencode({name: value for name, value in options.items() if value})
        place = f"{quote(data['account'], safe='')}/{quote(data['container'], safe='')}" if self.kind == "az" else (
            quote(data["bucket"], safe="")
        )  # fmt: skip
        address = f"{self.kind.partition('-')[0]}://{place}/{prefix}".rstrip("/")
        return f"{address}?{query}" if query else address


class NewTeamBucketForm(BucketForm):
    """A bucket that a new team may begin with."""

    provider = forms.ChoiceField(
        label=_("Where files are stored"), choices=[("", _("Default storage of this server")), *PROVIDERS],
        required=False,
    )  # fmt: skip
    first_kind = ""

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="storage")

    @property
    def is_chosen(self) -> bool:
        """Whether one was chosen."""
        return bool(self.kind)
