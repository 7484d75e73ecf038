"""The ids of versions as clients know them: they stand in manifests, and in addresses of files.

SDKs decode them as base64, and write them as hexadecimal in references.
"""

import base64
import binascii

from common.formats.numbers import parse_int

_KIND = "Artifact:"


def to_version_id(pk: int) -> str:
    """Return the id of a version as clients know it."""
    return base64.b64encode(f"{_KIND}{pk}".encode()).decode()


def version_key(text: str) -> int | None:
    """Return the key of the version with this id; None if it is not one of ours."""
    try:
        decoded = base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    return parse_int(decoded.removeprefix(_KIND)) if decoded.startswith(_KIND) else None


def version_key_of_reference(reference: str) -> tuple[int | None, str]:
    """Return (version, path) of ``wandb-artifact://<id in hexadecimal>/<path>``; (None, "") of any other reference."""
    scheme, _, rest = reference.partition("://")
    name, _, path = rest.partition("/")
    if scheme != "wandb-artifact":
        return None, ""
    try:
        return version_key(base64.b64encode(bytes.fromhex(name)).decode()), path
    except ValueError:
        return None, ""
