"""Every kind of media as the SDK 0.29 and 0.31 send it, one and several: kinds, links, panels (RUN-42, RUN-26)."""

import pytest
from django.urls import reverse

from metrics.store.key_stats import type_of
from metrics.tests.ingest.test_ingest import post, send
from tests.factories import ProjectFactory, RunFactory, TeamFactory, add_run_file, make_member

pytestmark = pytest.mark.django_db


def one(kind, folder, name, **more):
    return {"_type": kind, "path": f"media/{folder}/{name}", "sha256": "0" * 64, "size": 3, **more}


SOUNDS = [one("audio-file", "audio", f"s_{n}.wav", caption=f"tone {n}") for n in range(2)]
PAGES = [one("html-file", "html", f"h_{n}.html") for n in range(2)]
FILMS = [one("video-file", "videos", f"v_{n}.mp4", width=64, height=48) for n in range(2)]
FIGURES = [one("plotly-file", "plotly", f"f_{n}.plotly.json") for n in range(2)]
PICTURES = ["media/images/i_0.png", "media/images/i_1.png"]
MASKS = [{"pred": one("mask", "images/mask", f"m_{n}.mask.png")} for n in range(2)]
BOXES = [{"truth": one("boxes2D", "metadata/boxes2D", "b_0.boxes2D.json")}, None]
MOLECULES = ["media/molecule/m_0.pdb", "media/molecule/m_1.sdf"]
VALUES = {
    "image": (one("image-file", "images", "i.png", width=8, height=8, format="png"), ["media/images/i.png"]),
    "images": (
        {
            "_type": "images/separated", "width": 8, "height": 8, "format": "png", "count": 2, "filenames": PICTURES,
            "captions": ["a", "b"], "all_masks": MASKS, "all_boxes": BOXES,
        },
        [
            *PICTURES, "media/images/mask/m_0.mask.png", "media/images/mask/m_1.mask.png",
            "media/metadata/boxes2D/b_0.boxes2D.json",
        ],
    ),
    "sound": (SOUNDS[0], ["media/audio/s_0.wav"]),
    "sounds": (
        {"_type": "audio", "count": 2, "audio": SOUNDS, "captions": ["tone 0", "tone 1"]},
        ["media/audio/s_0.wav", "media/audio/s_1.wav"],
    ),
    "page": (PAGES[0], ["media/html/h_0.html"]),
    "pages": ({"_type": "html", "count": 2, "html": PAGES}, ["media/html/h_0.html", "media/html/h_1.html"]),
    "film": (FILMS[0], ["media/videos/v_0.mp4"]),
    "films": (
        {"_type": "videos", "count": 2, "videos": FILMS, "captions": False},
        ["media/videos/v_0.mp4", "media/videos/v_1.mp4"],
    ),
    "figure": (FIGURES[0], ["media/plotly/f_0.plotly.json"]),
    "figures": (FIGURES, ["media/plotly/f_0.plotly.json", "media/plotly/f_1.plotly.json"]),
    "bokeh": (one("bokeh-file", "bokeh", "b.bokeh.json"), ["media/bokeh/b.bokeh.json"]),
    "molecule": (one("molecule-file", "molecule", "m.pdb", caption="water"), ["media/molecule/m.pdb"]),
    "molecules": ({"_type": "molecule", "filenames": MOLECULES, "count": 2, "captions": False}, MOLECULES),
    "object": (one("object3D-file", "object3D", "o.pts.json"), ["media/object3D/o.pts.json"]),
    "objects": (
        {"_type": "object3D", "filenames": ["o_0.obj", "deep/o_1.pts.json"], "count": 2, "objects": []},
        ["media/object3D/o_0.obj", "media/object3D/deep/o_1.pts.json"],
    ),
    "graph": (one("graph-file", "graph", "g.graph.json"), ["media/graph/g.graph.json"]),
    "mixed": ([PAGES[0], FIGURES[0]], ["media/html/h_0.html", "media/plotly/f_0.plotly.json"]),
}  # fmt: skip


@pytest.fixture
def run(settings, tmp_path):
    settings.SEGMENT_ROOT = tmp_path / "segments"
    made = RunFactory(project=ProjectFactory(team=TeamFactory()))
    rows = [
        {"_step": 0, "sometimes": VALUES["image"][0], **{key: value for key, (value, _) in VALUES.items()}},
        {"_step": 1, "sometimes": VALUES["images"][0]},
    ]
    send(post(made, history=(0, rows)))
    for path in {path for _, paths in VALUES.values() for path in paths}:
        add_run_file(made, path, b"abc")
    return made


@pytest.fixture
def member(client, run):
    client.force_login(make_member(run.project.team))


@pytest.mark.usefixtures("member")
def test_each_kind_comes_with_links_to_all_its_files(client, run):
    address = reverse("metrics:media_values", args=[run.project.team.name, run.project.name, run.uid])
    answer = client.get(address, {"step": 0, "keys": list(VALUES)}).json()
    for key, (value, paths) in VALUES.items():
        assert answer["values"][key]["value"] == value, key
        assert set(paths) <= set(answer["files"]), key


@pytest.mark.usefixtures("member")
def test_panels_are_told_every_type_of_a_key(client, run):
    """A key with one picture at some steps and several at others is a key with pictures."""
    address = reverse("metrics:project_keys", args=[run.project.team.name, run.project.name])
    keys = {found["key"]: found["types"] for found in client.get(address, {"run": run.uid}).json()["keys"]}
    assert keys["sometimes"] == ["image-file", "images/separated"]
    assert keys["figures"] == ["plotly-file"]
    assert keys["mixed"] == ["media"]
    assert set(VALUES) <= set(keys)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([], "list"), ([1, 2], "list"), ([{"a": 1}], "list"), ([{"_type": "html-file"}, 1], "list"),
        ([{"_type": "html-file"}, {"a": 1}], "list"), ([{"_type": "html-file"}] * 2, "html-file"),
        ([{"_type": "html-file"}, {"_type": "histogram"}], "media"),
    ],
)  # fmt: skip
def test_a_list_is_media_only_if_all_in_it_is(value, kind):
    assert type_of(value) == kind
