"""What a manifest may say: paths, digests, sizes (ART-1, ART-7)."""

import orjson
import pytest

from artifacts.manifests.document import ManifestEntry, digest_of, read_manifest, write_manifest
from common.errors import Invalid


def document(contents: object) -> bytes:
    return orjson.dumps({"version": 1, "contents": contents})


@pytest.mark.parametrize("path", ["../a", "a/../../b", "/etc/passwd", "..", "a\\..\\b", "", "x" * 5000])
def test_a_path_that_leads_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(Invalid):
        read_manifest(document({path: {"digest": "d", "size": 1}}))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"{}", b'{"contents": []}', b"\xff", b"[" * 5000]
)
def test_what_is_no_manifest_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid, match="JSON object"):
        read_manifest(body)


@pytest.mark.parametrize(
    "given",
    [
        None,
        {},
        {"digest": 1},
        {"digest": "d", "size": -1},
        {"digest": "d", "size": "1"},
        {"digest": "d", "size": 2**63},
        {"digest": "d" * 1025},
        {"digest": "d", "ref": "s3://" + "x" * 16_384},
        {"digest": "d", "extra": [1]},
        {"digest": "d", "birthArtifactID": 1},
    ],
)
def test_an_entry_that_cannot_be_stored_is_refused(given: object) -> None:
    with pytest.raises(Invalid, match="“a”"):
        read_manifest(document({"a": given}))


def test_a_path_cannot_be_file_and_folder() -> None:
    with pytest.raises(Invalid, match="“a/b” is a file in the manifest and a folder of “a/b/c”"):
        read_manifest(document({"a/b": {"digest": "d"}, "a/b/c": {"digest": "d"}}))


def test_a_reference_keeps_no_nul_which_postgresql_cannot_store() -> None:
    read = read_manifest(document({"a": {"digest": "d\0e", "ref": "s3://b\0c", "extra": {"k": "v\0"}}}))
    assert "\0" not in f"{read['a'].digest}{read['a'].reference}{read['a'].extra['k']}"


def test_a_manifest_reads_as_it_was_written() -> None:
    entries = {
        "a/b": ManifestEntry("a/b", "d", 3, birth_id="QXJ0"),
        "\u202eabc": ManifestEntry("\u202eabc", "d", 0),
        "r": ManifestEntry("r", "e", None, reference="s3://b/c", extra={"versionID": "1"}),
    }
    assert read_manifest(write_manifest(entries.values())) == entries


def test_the_digest_is_that_of_the_sdk_whatever_the_order() -> None:
    one, two = ManifestEntry("a", "x", 1), ManifestEntry("b", "y", 1)
    assert digest_of([two, one]) == digest_of([one, two]) != digest_of([one])
