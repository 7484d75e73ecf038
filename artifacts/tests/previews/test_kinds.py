"""How files are previewed, and JSON that is no table."""

import pytest

from artifacts.previews.errors import UnreadablePreview
from artifacts.previews.json_trees import has_rows, read_json_tree
from artifacts.previews.kinds import PreviewKind, kind_of_file, kind_of_name, media_type_of
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


def test_json_is_rows_or_a_tree(tmp_path):
    assert has_rows(written(tmp_path, ' [ {"a": 1}]'))
    assert not has_rows(written(tmp_path, "[1]"))
    assert not has_rows(written(tmp_path, '{"a": [{}]}'))
    path = written(tmp_path, '{"lr": 0.1, "password": "hunter22", "x": [NaN]}')
    assert read_json_tree(path, revealed=False)[:2] == [
        ["lr", "float", "0.1"],
        ["password", "string", "••••••••"],
    ]
    assert read_json_tree(path, revealed=True)[1] == ["password", "string", "hunter22"]
    assert read_json_tree(written(tmp_path, "[1, 2]"), revealed=False) == [["value", "list", "[1, 2]"]]


@pytest.mark.parametrize(
    ("text", "says"),
    [("{", "not valid JSON"), ("[" * 5000, "not valid JSON"), (" " * 2**22, "the limit is 2 MiB")],
)
def test_json_that_is_no_tree_is_refused(tmp_path, text, says):
    with pytest.raises(UnreadablePreview, match=says):
        read_json_tree(written(tmp_path, text), revealed=False)
