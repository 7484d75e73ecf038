"""From an address and credentials, as people write them, to a backend.

``s3://bucket/prefix?region=eu-west-1&endpoint=https://…&style=virtual``, ``gs://bucket/prefix``,
``az://account/container/prefix``; an empty address is the data folder. The providers' libraries are imported only
here, when a bucket of their kind is used: each takes half a second and 30 to 45 MB.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.utils.translation import gettext as _

from common.errors import Invalid
from common.safe_http.addresses import OutgoingError, target_of
from storage.backends.base import Backend
from storage.backends.local import LocalBackend
from storage.backends.transfer import Timeouts

FOLDER = "objects"
"""Below the prefix. So an installation at a bucket's root never lists what one with a prefix has in the same bucket."""
_SEGMENT = re.compile(r"[\w.!()-]{1,100}", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_S3_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_GOOGLE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")
_AZURE_ACCOUNT = re.compile(r"[a-z0-9]{3,24}")
_AZURE_NAME = re.compile(r"(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class _Address:
    """A bucket's address, taken apart."""

    host: str
    path: list[str]
    options: dict[str, str]
    is_operators: bool

    def endpoint(self) -> str:
        """Return where its server is, "" for the provider's own.

        Raises:
            Invalid: that is no web address.
        """
        url = self.options.get("endpoint", "").rstrip("/")
        if url:
            try:
                target_of(url)
            except OutgoingError as error:
                message = _("The endpoint of a bucket must be a web address: %(error)s.")
                raise Invalid(message % {"error": error}) from None
        return url

    def prefix(self, start: int = 0) -> str:
        """Return what comes before all keys, from a segment of the path on.

        Raises:
            Invalid: it cannot be one.
        """
        segments = self.path[start:]
        for segment in segments:
            if not _SEGMENT.fullmatch(segment) or segment in {".", "..", FOLDER}:
                message = _(
                    "A bucket prefix can contain letters, digits, slashes and -_.!(); it cannot contain "
                    "“%(part)s”."
                )
                raise Invalid(message % {"part": segment[:100]})
        return "/".join([*segments, FOLDER, ""])


def build_backend(
    url: str, credentials: Mapping[str, str], *, is_operators: bool = False, timeouts: Timeouts | None = None
) -> Backend:
    """Return the backend of an address; it is not asked yet (`storage.backends.check` does).

    Args:
        url: Of the bucket, or empty.
        credentials: ``access_key``, ``secret_key``, ``session_token`` of S3; ``service_account`` (its key as JSON) of
            Google; ``account_key``, ``signature`` or ``connection_string`` of Azure.
        is_operators: Whether who runs the installation wrote it. Others may not lead the server into its own network,
            nor use the credentials of its machine, which are what it takes where none are given.
        timeouts: How long it may take.

    Raises:
        Invalid: the address or the credentials cannot be right; says why.
    """
    if not url:
        return LocalBackend()
    parts = _split(url)
    build = {"s3": _build_s3, "gs": _build_google, "az": _build_azure}.get(parts.scheme)
    if build is None:
        raise Invalid("The address of a bucket begins with s3://, gs:// or az://.")
    path = [unquote(segment) for segment in parts.path.strip("/").split("/") if parts.path.strip("/")]
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    given = {name: value.strip() for name, value in credentials.items() if value.strip()}
    return build(_Address(parts.netloc, path, options, is_operators), given, timeouts)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        raise Invalid("This is not the address of a bucket.") from None
    if "@" in parts.netloc or ":" in parts.netloc or parts.fragment:
        raise Invalid(
            "The address of a bucket has no user, password, port or #; its server is its “endpoint”."
        )
    return parts


def _check(address: _Address, given: Mapping[str, str], *, options: set[str], credentials: set[str]) -> None:
    """Refuse what is not known: a word with a slip would otherwise silently have no effect."""
    for name in sorted(set(address.options) - options):
        raise Invalid(
            f"A bucket of this kind has no option “{name[:40]}”, only: {', '.join(sorted(options))}."
        )
    for name in sorted(set(given) - credentials):
        raise Invalid(f"A bucket of this kind has no “{name[:40]}”, only: {', '.join(sorted(credentials))}.")
    if not given and not address.is_operators:
        raise Invalid(f"A bucket needs credentials: {', '.join(sorted(credentials))}.")


def _require_name(pattern: re.Pattern[str], name: str, message: str) -> None:
    if not pattern.fullmatch(name) or ".." in name:
        raise Invalid(message % {"name": name[:100]})


def _build_s3(address: _Address, given: Mapping[str, str], timeouts: Timeouts | None) -> Backend:
    _check(
        address, given,
        options={"region", "endpoint", "style"}, credentials={"access_key", "secret_key", "session_token"},
    )  # fmt: skip
    endpoint, region, style = (
        address.endpoint(),
        address.options.get("region", ""),
        address.options.get("style", ""),
    )
    _require_name(_S3_NAME, address.host, _("“%(name)s” isn’t a valid bucket name."))
    if not region and not endpoint:
        raise Invalid("A bucket of Amazon needs its region, as in s3://bucket?region=eu-west-1.")
    if region and not _REGION.fullmatch(region):
        raise Invalid(_("“%(region)s” isn’t a valid region.") % {"region": region[:40]})
    if style not in {"", "path", "virtual"}:
        raise Invalid("The style of a bucket is “path” or “virtual”.")
    if given and not {"access_key", "secret_key"} <= set(given):
        raise Invalid("A bucket needs both parts of its credentials: access_key and secret_key.")

    from storage.backends.s3 import S3Backend, S3Bucket, S3Credentials

    bucket = S3Bucket(
        address.host,
        address.prefix(),
        region or "us-east-1",
        endpoint,
        # Certificates of Amazon hold for names without dots only.
        has_own_host=style == "virtual" or (not style and not endpoint and "." not in address.host),
        is_kept_outside=not address.is_operators,
    )
    return S3Backend(bucket, S3Credentials(**given) if given else None, timeouts)


def _build_google(address: _Address, given: Mapping[str, str], timeouts: Timeouts | None) -> Backend:
    _check(address, given, options={"endpoint"}, credentials={"service_account"})
    _require_name(_GOOGLE_NAME, address.host, _("“%(name)s” isn’t a valid bucket name."))
    key = _google_key(given["service_account"]) if given else None

    from storage.backends.gcs import GoogleBackend, GoogleBucket

    bucket = GoogleBucket(
        address.host, address.prefix(), address.endpoint(), is_kept_outside=not address.is_operators
    )
    return GoogleBackend(bucket, key, timeouts)


def _google_key(text: str) -> dict[str, str]:
    """Return of a key what is used; its other parts would lead to servers and programs that its writer names.

    Raises:
        Invalid: it is none of a service account.
    """
    try:
        found = json.loads(text)
        key = {name: str(found[name]) for name in ("type", "client_email", "private_key")}
    except (ValueError, KeyError, TypeError):
        raise Invalid(_("This isn’t a JSON service account key from Google Cloud.")) from None
    if key["type"] != "service_account" or found.get("universe_domain", "googleapis.com") != "googleapis.com":
        raise Invalid(_("Only service account keys of Google Cloud are accepted."))
    return {**key, "token_uri": "https://oauth2.googleapis.com/token"}


def _build_azure(address: _Address, given: Mapping[str, str], timeouts: Timeouts | None) -> Backend:
    _check(
        address, given, options={"endpoint"}, credentials={"account_key", "signature", "connection_string"}
    )
    endpoint = address.endpoint()
    if text := given.get("connection_string"):
        given, endpoint = _of_connection_string(address, text, endpoint)
    _require_name(_AZURE_ACCOUNT, address.host, _("“%(name)s” isn’t a valid storage account name."))
    _require_name(
        _AZURE_NAME, address.path[0] if address.path else "",
        _("“%(name)s” isn’t a valid container name."),
    )  # fmt: skip
    if len(given) != 1:
        raise Invalid("A container needs one of account_key, signature and connection_string.")
    if key := given.get("account_key"):
        try:
            base64.b64decode(key, validate=True)
        except binascii.Error:
            raise Invalid(_("This isn’t a storage account key: it isn’t Base64.")) from None

    from storage.backends.azure import AzureBackend, AzureContainer, AzureCredentials

    container = AzureContainer(
        address.host,
        address.path[0],
        address.prefix(1),
        endpoint,
        is_kept_outside=not address.is_operators,
    )
    return AzureBackend(
        container,
        AzureCredentials(given.get("account_key", ""), given.get("signature", "").lstrip("?")),
        timeouts,
    )


def _of_connection_string(address: _Address, text: str, endpoint: str) -> tuple[dict[str, str], str]:
    """Return credentials and endpoint that a connection string says.

    Raises:
        Invalid: it is none, or one of another account.
    """
    pairs = [part.partition("=") for part in text.split(";") if part.strip()]
    said = {name.strip().lower(): value.strip() for name, _sign, value in pairs}
    if said.get("accountname", address.host) != address.host:
        raise Invalid("The connection string is of another account than the address.")
    given = {"account_key": said.get("accountkey", ""), "signature": said.get("sharedaccesssignature", "")}
    given = {name: value for name, value in given.items() if value}
    if not given:
        raise Invalid("The connection string has neither AccountKey nor SharedAccessSignature.")
    suffix = said.get("endpointsuffix", "core.windows.net")
    found = endpoint or said.get("blobendpoint", "").rstrip("/") or f"https://{address.host}.blob.{suffix}"
    checked = _Address(address.host, [], {"endpoint": found}, address.is_operators)
    return given, checked.endpoint()
