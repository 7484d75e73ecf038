"""The JSON of a manifest, as SDKs write and read it.

Source: wandb 0.31.0, wandb/sdk/artifacts/artifact_manifests/artifact_manifest_v1.py, and docs/develop/protocol.md.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from common.budgets.memory import reserve_decoded
from common.errors import Invalid
from common.formats.lenient_json import clean_tree
from storage.file_names import check_file_name

MAX_ENTRIES = 500_000
MAX_BYTES = 256 * 1024 * 1024
_TIMES_DECODED = 3
"""Of what a request may take: MAX_ENTRIES entries take less, with references and digests."""
_MAX_REFERENCE, _MAX_DIGEST, _MAX_SIZE = 16_384, 1024, 2**62
_HEAD = {
    "version": 1,
    "storagePolicy": "wandb-storage-policy-v1",
    "storagePolicyConfig": {"storageLayout": "V2"},
}


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One file of a version, or a reference to one elsewhere."""

    path: str
    digest: str
    size_bytes: int | None
    reference: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    birth_id: str = ""
    """The global id of the version that first had it; "" for this one."""


def read_manifest(document: bytes) -> dict[str, ManifestEntry]:
    """Return the entries by path.

    Raises:
        Invalid: not a manifest, or one of its entries cannot be stored; the message names it.
        TooLarge: it contains far more than as many entries as a manifest may have.
    """
    try:
        reserve_decoded(document, _TIMES_DECODED)
        manifest = orjson.loads(document)
        contents = manifest["contents"]
        items = contents.items()
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise Invalid("The manifest must be a JSON object with the key “contents”.") from None
    _check_count(len(contents))
    entries = [_entry(path, given) for path, given in items]
    found = {entry.path: entry for entry in entries}
    if len(found) < len(entries):
        raise Invalid("Two paths of the manifest differ only in characters that cannot be stored.")
    check_entries(found)
    return found


def check_entries(entries: dict[str, ManifestEntry]) -> None:
    """Let pass what one version may consist of.

    Raises:
        Invalid: too many entries, or a file where another entry has a folder.
    """
    _check_count(len(entries))
    _check_folders(entries)


def _check_count(count: int) -> None:
    if count > MAX_ENTRIES:
        raise Invalid(f"An artifact can have at most {MAX_ENTRIES} files; this one has {count}.")


def _entry(path: str, given: Any) -> ManifestEntry:
    if not isinstance(given, dict) or not isinstance(given.get("digest"), str):
        raise Invalid(f"The manifest’s entry “{path}” must be an object with a digest.")
    size, reference, extra = given.get("size"), given.get("ref") or "", given.get("extra") or {}
    if size is not None and (type(size) is not int or not 0 <= size <= _MAX_SIZE):
        raise Invalid(f"The size of the manifest’s entry “{path}” must be a number of bytes.")
    if not isinstance(reference, str) or not isinstance(extra, dict) or len(reference) > _MAX_REFERENCE:
        raise Invalid(
            f"The reference of the manifest’s entry “{path}” must be a text of at most {_MAX_REFERENCE} characters."
        )
    digest, birth_id = given["digest"], given.get("birthArtifactID") or ""
    if len(digest) > _MAX_DIGEST or not isinstance(birth_id, str):
        raise Invalid(f"The digest of the manifest’s entry “{path}” has more than {_MAX_DIGEST} characters.")
    return ManifestEntry(
        check_file_name(path), clean_tree(digest), size, clean_tree(reference), clean_tree(extra), birth_id
    )


def _check_folders(entries: dict[str, ManifestEntry]) -> None:
    """Refuse a file where another entry has a folder: nobody could download both."""
    for path in entries:
        at = path.find("/")
        while at > 0:
            if path[:at] in entries:
                raise Invalid(f"“{path[:at]}” is a file in the manifest and a folder of “{path}”.")
            at = path.find("/", at + 1)


def write_manifest(entries: Iterable[ManifestEntry]) -> bytes:
    """Return the document."""
    contents = {entry.path: _written(entry) for entry in entries}
    return orjson.dumps({**_HEAD, "contents": contents})


def _written(entry: ManifestEntry) -> dict[str, Any]:
    written: dict[str, Any] = {"digest": entry.digest}
    if entry.size_bytes is not None:
        written["size"] = entry.size_bytes
    if entry.reference:
        written["ref"] = entry.reference
    elif entry.birth_id:
        written["birthArtifactID"] = entry.birth_id
    if entry.extra:
        written["extra"] = entry.extra
    return written


def digest_of(entries: Iterable[ManifestEntry]) -> str:
    """Return the digest that SDKs compute of a manifest: hexadecimal MD5."""
    digest = hashlib.md5(b"wandb-artifact-manifest-v1\n", usedforsecurity=False)
    for entry in sorted(entries, key=lambda one: one.path):
        digest.update(f"{entry.path}:{entry.digest}\n".encode())
    return digest.hexdigest()
