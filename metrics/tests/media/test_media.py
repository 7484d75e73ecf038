"""Media by key and step, on pages in which nothing harms anybody (RUN-42)."""

import json

import pytest
from django.urls import reverse

from metrics.media import histograms
from metrics.media import selectors as media
from metrics.models import Segment
from metrics.store import compaction
from metrics.tests.ingest.test_ingest import post, send
from metrics.views import media as views
from runs.models import Run
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, add_run_file, make_member

pytestmark = pytest.mark.django_db

STEPS = 60


def histogram(step):
    return {"_type": "histogram", "values": [1, step, 1], "bins": [-1.0, 0.0, 1.0, 2.0 + step]}


def rows():
    found = []
    for step in range(STEPS):
        row: dict[str, object] = {
            "_step": step,
            "_timestamp": 10.0 + step,
            "_runtime": float(step),
            "loss": 1 / (step + 1),
        }
        row["grad"] = histogram(step)
        row["val"] = {"note": f"step {step}"}
        if step % 10 == 0:
            names = [f"media/images/{step}_{n}.png" for n in range(3)]
            row["img"] = {
                "_type": "images/separated",
                "filenames": names,
                "captions": ["a", "b", "c"],
                "count": 3,
            }
        found.append(row)
    return found


@pytest.fixture(params=["tail", "packed"])
def run(request, monkeypatch, settings, tmp_path):
    settings.SEGMENT_ROOT = tmp_path / "segments"
    made = RunFactory(project=ProjectFactory(team=TeamFactory()))
    if request.param == "packed":
        monkeypatch.setattr(compaction, "PACK_AT_ROWS", 10)
        send(post(made, history=(0, rows()[:40])))
        compaction.pack_due_streams(60)
        assert Segment.objects.filter(stream__run=made).exists()
        send(post(made, history=(40, rows()[40:])))
    else:
        send(post(made, history=(0, rows())))
    return made


@pytest.fixture
def member(client, run):
    user = make_member(run.project.team)
    client.force_login(user)
    return user


def url(run, name, *more):
    return reverse(name, args=[run.project.team.name, run.project.name, run.uid, *more])


def test_keys_that_are_no_numbers_are_listed_with_their_steps(run):
    keys = {found.key: found for found in media.media_keys(run.pk)}
    assert set(keys) == {"grad", "img", "val.note"}
    assert keys["img"].steps == list(range(0, STEPS, 10))
    assert keys["grad"].steps == list(range(STEPS))
    assert keys["val.note"].kinds == ["string"]


@pytest.mark.parametrize(("step", "image"), [(0, 0), (9, 0), (10, 10), (45, 40), (999, 50)])
def test_a_step_has_the_last_value_at_or_before_it(run, step, image):
    found = media.media_at(run.pk, ["img", "grad", "none"], step)
    assert set(found) == {"img", "grad"}
    assert found["img"][1] == image
    assert found["grad"][1] == min(step, STEPS - 1)
    assert json.loads(found["grad"][3]) == histogram(min(step, STEPS - 1))


def test_before_the_first_value_the_first_is_shown(run):
    assert media.media_at(run.pk, ["img"], -5)["img"][1] == 0


def test_values_come_with_links_to_their_files_and_missing_ones_are_left_out(client, run, member):
    add_run_file(run, "media/images/10_0.png", b"png")
    answer = client.get(url(run, "metrics:media_values"), {"step": 12, "keys": ["img", "val.note"]}).json()
    assert answer["values"]["img"]["step"] == 10
    assert answer["values"]["val.note"]["value"] == "step 12"
    assert list(answer["files"]) == ["media/images/10_0.png"]
    assert answer["files"]["media/images/10_0.png"]["url"].startswith("/storage/get/")
    assert client.get(url(run, "metrics:media_values"), {"step": "x"}).status_code == 400
    assert len(client.get(url(run, "metrics:media_keys")).json()["keys"]) == 3


def test_tables_of_charts_are_not_listed_beside_the_charts(client, run, member):
    """RUN-42: neither those of `wandb.plot` nor those of `wandb.sklearn`."""
    table = {"_type": "table-file", "path": "media/table/t.json", "ncols": 1, "nrows": 1}
    send(
        post(run, history=(STEPS, [{"_step": STEPS, "roc_table": table, "elbow": table, "examples": table}]))
    )
    charts = {"visualize": {"roc": {"panel_config": {}}}, "viz": {"elbow": {"id": "wandb/elbow/v1"}}}
    Run.objects.filter(pk=run.pk).update(config_text=json.dumps({"_wandb": {"value": charts}}))
    keys = client.get(url(run, "metrics:media_keys")).json()["keys"]
    assert [found["key"] for found in keys] == ["examples", "grad", "img", "val.note"]


def test_histograms_over_time_have_common_bins(run):
    heat = histograms.heat_of(run.pk, "grad")
    assert heat["steps"] == list(range(STEPS))
    assert (heat["edges"][0], heat["edges"][-1]) == (-1.0, 2.0 + STEPS - 1)
    sums = [sum(column) for column in heat["counts"]]
    assert sums == pytest.approx([2 + step for step in range(STEPS)], abs=0.01)
    assert histograms.heat_of(run.pk, "img") == {"steps": [], "edges": [], "counts": []}


def test_packed_bins_and_broken_histograms():
    packed = {"values": [1, 2], "packedBins": {"min": 0, "size": 5, "count": 2}}
    found = histograms.bins_of(packed)
    assert found is not None
    edges, counts = found
    assert (edges.tolist(), counts.tolist()) == ([0, 5, 10], [1, 2])
    for broken in (
        {},
        {"values": [1], "bins": [1]},
        {"values": ["x"], "bins": [0, 1]},
        {"values": [1], "bins": [0, None]},
    ):
        assert histograms.bins_of(broken) is None


def test_a_logged_page_runs_where_it_can_harm_nobody(client, run, member):
    """Its own origin by the sandbox, no network, not framed by others."""
    add_run_file(run, "media/html/x.html", b"<script>alert(1)</script>")
    answer = client.get(url(run, "metrics:media_frame", "media/html/x.html"))
    policy = answer["Content-Security-Policy"]
    assert "sandbox allow-scripts;" in policy
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert client.get(url(run, "metrics:media_frame", "none.html")).status_code == 404


@pytest.mark.parametrize(
    ("headers", "is_shown"),
    [
        ({"Sec-Fetch-Dest": "iframe"}, True),
        ({"Sec-Fetch-Dest": "document"}, False),
        ({"Sec-Fetch-Dest": "document", "Referer": "http://testserver/"}, False),
        ({"Sec-Fetch-Dest": "object"}, False),
        ({"Referer": "http://testserver/a/b/runs/c/media"}, True),
        ({"Referer": "http://testserver.evil.example/"}, False),
        ({"Referer": "https://evil.example/"}, False),
        ({}, False),
    ],
)
@pytest.mark.usefixtures("member")
def test_a_logged_page_is_no_page_of_its_own(client, run, headers, is_shown):
    """The review's L5: at the top it could lead to another site by script; there it is a download."""
    add_run_file(run, "x", b"{}")
    answer = client.get(url(run, "metrics:media_frame", "x"), headers=headers)
    assert answer.headers.get("Content-Disposition") == (None if is_shown else "attachment")


def test_secrets_in_a_logged_page_are_masked(client, run, member):
    token = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
    add_run_file(run, "page.html", f"<p>{token}</p>".encode())
    page = client.get(url(run, "metrics:media_frame", "page.html")).content.decode()
    assert page.startswith("<p>")
    assert token not in page


def test_a_page_over_the_limit_is_refused_with_the_limit(client, run, member, monkeypatch):
    monkeypatch.setattr(views, "MAX_FRAME_BYTES", 10)
    add_run_file(run, "page.html", b"<p>longer</p>")
    answer = client.get(url(run, "metrics:media_frame", "page.html"))
    assert answer.status_code == 413
    assert b"up to 10 bytes" in answer.content


@pytest.mark.parametrize("name", ["run_media", "media_keys", "media_values", "media_heat", "media_table"])
def test_a_stranger_sees_no_media(client, run, name):
    client.force_login(UserFactory())
    assert client.get(url(run, f"metrics:{name}")).status_code == 404


def test_the_cost_does_not_grow_with_the_keys_asked_for(client, run, member, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        client.get(url(run, "metrics:media_values"), {"step": 12, "keys": ["img", "val.note", "grad"]})


def test_the_frame_of_custom_charts_has_no_origin_and_no_network(client):
    """RUN-26: a specification is somebody's program; it may draw, and nothing else."""
    answer = client.get(reverse("metrics:vega_frame"))
    policy = answer["Content-Security-Policy"]
    assert "sandbox allow-scripts;" in policy
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "connect-src" not in policy
    assert "frame-ancestors 'self'" in policy


@pytest.mark.parametrize("viewer", ["plotly", "bokeh", "molecule", "model"])
def test_viewers_have_no_origin_no_network_and_scripts_of_ours_only(client, viewer):
    """RUN-42: a figure or an object is a stranger's file; the page that draws it can do nothing else."""
    answer = client.get(reverse("metrics:viewer_frame", args=[viewer]))
    policy = answer["Content-Security-Policy"]
    assert "sandbox allow-scripts;" in policy
    assert "default-src 'none'" in policy
    assert "script-src http://testserver/static/js/;" in policy
    assert "unsafe-eval" not in policy
    assert "allow-same-origin" not in policy
    assert policy.partition("connect-src")[2] in {"", " data: blob:"}
    assert "frame-ancestors 'self'" in policy
    assert f"js/frames/{viewer}-frame" in answer.content.decode()


def test_there_are_no_other_viewers(client):
    assert client.get(reverse("metrics:viewer_frame", args=["other"])).status_code == 404
