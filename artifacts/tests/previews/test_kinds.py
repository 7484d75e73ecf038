"""How files are previewed, and JSON that is no table."""

import pytest

from artifacts.previews.kinds import PreviewKind, kind_of_file, kind_of_name, media_type_of
from artifacts.previews.tables.json_reader import has_rows
from artifacts.tests.previews.tables import written


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a/b/cat.PNG", PreviewKind.IMAGE), ("logo.svg", PreviewKind.IMAGE), ("a.wav", PreviewKind.AUDIO),
        ("a.mp4", PreviewKind.VIDEO), ("t.table.json", PreviewKind.TABLE),
        ("t.joined-table.json", PreviewKind.JOINED_TABLE), ("config.json", PreviewKind.JSON),
        ("t.partitioned-table.json", PreviewKind.PARTITIONED_TABLE),
        ("a.jsonl", PreviewKind.JSON_LINES), ("a.csv", PreviewKind.CSV), ("a.tsv", PreviewKind.TSV),
        ("a.parquet", PreviewKind.PARQUET), ("m.safetensors", PreviewKind.SAFETENSORS), ("m.gguf", PreviewKind.GGUF),
        ("train.py", None), ("model", None), ("png", None),
    ],
)  # fmt: skip
def test_the_name_says_how_a_file_is_previewed(name, kind):
    assert kind_of_name(name) == kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"GGUF\x03\x00", PreviewKind.GGUF), (b"PAR1\x15", PreviewKind.PARQUET), (b"", PreviewKind.TEXT),
        (b"import os\n", PreviewKind.TEXT), ("ä".encode() * 3000, PreviewKind.TEXT),
        (b"x" + "ä".encode() * 3000, PreviewKind.TEXT),
        (b"a\x00b", PreviewKind.NONE), (b"\xff\xfe", PreviewKind.NONE), (b"caf\xc3", PreviewKind.NONE),
    ],
)  # fmt: skip
def test_the_content_says_it_where_the_name_does_not(tmp_path, content, kind):
    assert kind_of_file("data.bin", written(tmp_path, content)) == kind


def test_media_types():
    assert (media_type_of("a.svg"), media_type_of("a.html")) == ("image/svg+xml", "")


def test_json_is_rows_or_a_text(tmp_path):
    assert has_rows(written(tmp_path, ' [ {"a": 1}]'))
    assert not has_rows(written(tmp_path, "[1]"))
    assert not has_rows(written(tmp_path, '{"a": [{}]}'))
