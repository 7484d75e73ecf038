"""Histograms of several runs over each other (RUN-26)."""

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from metrics.media import histograms
from metrics.tests.ingest.test_ingest import post, send
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db

COUNT = 500


def logged(step, low, high):
    value = {
        "_type": "histogram",
        "values": [1, 2, 1],
        "packedBins": {"min": low, "size": (high - low) / 3, "count": 3},
    }
    return {"_step": step, "_timestamp": 10.0 + step, "_runtime": float(step), "loss": 1.0, "grad": value}


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def owner(client, project):
    client.force_login(make_member(project.team))


@pytest.fixture
def runs(project):
    early, late = RunFactory(project=project), RunFactory(project=project)
    send(post(early, history=(0, [logged(step, 0.0, 3.0) for step in range(10)])))
    send(post(late, history=(0, [logged(step, -3.0, 6.0 + step) for step in range(5, 8)])))
    return early, late


def ask(client, project, runs, **query):
    address = reverse("metrics:project_histograms", args=[project.team.name, project.name])
    return client.get(address, {"run": [run.uid for run in runs], "key": "grad"} | query)


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize(
    ("query", "steps"),
    [({}, [9, 7]), ({"step": 6}, [6, 6]), ({"step": 4}, [4, None]), ({"step": 99}, [9, 7])],
)
def test_runs_have_their_last_histogram_at_or_before_the_step(client, project, runs, query, steps):
    found = ask(client, project, runs, **query).json()["runs"]
    assert [found.get(run.uid, {}).get("step") for run in runs] == steps


def test_runs_are_brought_to_common_bins(client, owner, project, runs):
    answer = ask(client, project, runs).json()
    assert (answer["edges"][0], answer["edges"][-1], len(answer["edges"])) == (
        -3.0,
        13.0,
        histograms.ROWS + 1,
    )
    for run in runs:
        counts = answer["runs"][run.uid]["counts"]
        assert len(counts) == histograms.ROWS
        assert sum(counts) == pytest.approx(4, abs=0.01)
    assert answer["steps"] == list(range(10))


def test_runs_without_the_key_and_other_keys_have_none(client, owner, project, runs):
    other = RunFactory(project=project)
    assert other.uid not in ask(client, project, [*runs, other]).json()["runs"]
    assert ask(client, project, runs, key="loss").json() == {"steps": [], "edges": [], "runs": {}}


def test_an_answer_is_as_long_as_what_is_drawn(client, owner, project):
    """However many steps: the slider has evenly chosen ones, with the first and the last."""
    run = RunFactory(project=project)
    send(post(run, history=(0, [logged(step, 0.0, 3.0) for step in range(COUNT)])))
    steps = ask(client, project, [run]).json()["steps"]
    assert (len(steps), steps[0], steps[-1]) == (histograms.STEPS, 0, COUNT - 1)
    assert histograms.heat_of(run.pk, "grad")["steps"] == steps


def test_too_many_runs_and_steps_that_are_none_are_refused(client, owner, project, monkeypatch, runs):
    assert ask(client, project, runs, step="x").status_code == 400
    monkeypatch.setattr(histograms, "MAX_RUNS", 1)
    assert ask(client, project, runs).status_code == 400


def test_strangers_see_none(client, project, runs):
    client.force_login(make_member(TeamFactory()))
    assert ask(client, project, runs).status_code == 404


VALUES = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 3).map(float)
BINS = st.lists(st.tuples(VALUES, st.floats(0, 1e12)), min_size=1, max_size=8)


@st.composite
def of_any_widths(draw):
    """Return a histogram with bins of any width, among them none."""
    edges, counts = zip(*draw(BINS), strict=True)
    return {"bins": sorted([*edges, draw(st.sampled_from(edges))]), "values": list(counts)}


@given(st.lists(of_any_widths(), min_size=1, max_size=3))
def test_common_bins_have_each_count_once(logged):
    found = [bins for bins in map(histograms.bins_of, logged) if bins is not None]
    if not found:
        return
    edges, counts = histograms._on_common_bins(found)
    assert len(edges) == histograms.ROWS + 1
    assert edges == sorted(edges)
    for (_, before), after in zip(found, counts, strict=True):
        assert sum(after) == pytest.approx(before.sum(), rel=1e-4, abs=1e-12)
        assert min(after) >= -1e-3 * max(1, before.sum())


@pytest.mark.parametrize("value", [4, 0, -0.03, 1e300, -1e-320])
def test_equal_values_are_in_the_middle_of_a_range(client, owner, project, value):
    """The SDK's `watch` sends tensors of equal values as a bin from the value to itself."""
    run, equal = RunFactory(project=project), {"_type": "histogram", "bins": [value, value], "values": [7]}
    send(post(run, history=(0, [logged(0, 0.0, 3.0) | {"grad": equal}])))
    answer = ask(client, project, [run]).json()
    [place] = [at for at, count in enumerate(answer["runs"][run.uid]["counts"]) if count]
    edges = answer["edges"]
    assert edges[0] < edges[-1]
    assert answer["runs"][run.uid]["counts"][place] == 7
    assert edges[place] <= value <= edges[place + 1]
    assert place in {histograms.ROWS // 2 - 1, histograms.ROWS // 2}


@pytest.mark.parametrize(
    "logged",
    [
        {"values": [1], "packedBins": {"min": "x", "size": None}},
        {"values": [1, 2], "bins": [0, 2, 1]},
        {"values": [1], "bins": [0, 10**400]},
        {"values": [[1]], "bins": [[0], [1]]},
        {"values": [1], "bins": [-1.7e308, 1.7e308]},
    ],
)
def test_what_is_no_histogram_is_not_drawn(logged):
    assert histograms.bins_of(logged) is None
