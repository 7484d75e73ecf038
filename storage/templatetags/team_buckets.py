"""Where buckets are, and the fields that ask for one, as pages show them."""

from collections.abc import Iterator

from django import template
from django.forms import BoundField
from django.utils.translation import gettext as _

from storage.team_buckets.forms import FIELDS, BucketForm
from storage.team_buckets.selectors import BucketAddress, Provider

register = template.Library()


@register.filter
def provider_label(address: BucketAddress) -> str:
    """Return what people call who keeps the bytes."""
    if address.provider == Provider.S3:
        return _("S3-compatible storage") if address.endpoint else "Amazon S3"
    others = {Provider.GOOGLE: "Google Cloud Storage", Provider.AZURE: "Azure Blob Storage"}
    return others.get(Provider(address.provider)) or _("Server data folder")


@register.filter
def by_provider(form: BucketForm) -> Iterator[tuple[BoundField, str]]:
    """Yield the fields below that of the provider, each with the providers that it is asked for."""
    for name in form.fields:
        kinds = [kind for kind, names in FIELDS.items() if name in names]
        if name != "provider":
            yield form[name], " ".join(kinds)
