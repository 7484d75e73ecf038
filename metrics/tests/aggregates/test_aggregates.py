"""Questions over many runs: as a plain look at all points answers, wherever these lie (MET-7)."""

import math

import numpy as np
import pytest

from common.errors import Invalid
from metrics.aggregates import distribution as distributions
from metrics.aggregates import sources
from metrics.aggregates.best import best_of
from metrics.aggregates.distribution import distribution_of
from metrics.models import Segment, Stream, StreamKind, Tail
from metrics.store import compaction, row_blocks
from metrics.tests.store.test_packing import _small, line, packed, send
from tests.factories import ProjectFactory, RunFactory, basic, make_key, make_member

__all__ = ["_small"]
pytestmark = pytest.mark.django_db


@pytest.fixture(params=["tail", "files", "clickhouse", "both"])
def placed(request, settings):
    """Return what packs a run, or does not."""
    if request.param in {"clickhouse", "both"}:
        request.getfixturevalue("clickhouse")

    def place(run, number=0):
        if request.param != "tail":
            here = (
                "files"
                if request.param == "files" or (request.param == "both" and number % 2)
                else "clickhouse"
            )
            settings.SEGMENT_STORE = here
            packed(run)

    return place


def logged(project, values, *, key="loss", a_post=5):
    """Return a run that has logged these numbers."""
    run = RunFactory(project=project)
    for start in range(0, len(values), a_post):
        rows = [line(start + at, **{key: value}) for at, value in enumerate(values[start : start + a_post])]
        send(run, rows, offset=start)
    return run


def random_values(count, seed):
    chance = np.random.default_rng(seed)
    return [float(value) for value in chance.normal(seed, 3, count)]


ODD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 0.0, -0.0, 5]


def test_the_best_runs_are_those_of_all_points(placed):
    project = ProjectFactory()
    values = [random_values(37 + seed, seed) for seed in range(7)] + [
        [math.nan] * 8,
        [math.inf, 3.0, *[4] * 6],
    ]
    runs = [logged(project, some) for some in values]
    runs.append(logged(project, [1.0] * 8, key="other"))
    for number, run in enumerate(runs):
        placed(run, number)
    ids = [run.pk for run in runs]
    finite = {
        run.pk: [value for value in some if math.isfinite(value)]
        for run, some in zip(runs, values, strict=False)
    }
    for is_largest, pick in ((False, min), (True, max)):
        expected = sorted(
            ((pick(some), pk) for pk, some in finite.items() if some),
            key=lambda one: (-one[0] if is_largest else one[0], one[1]),
        )
        for limit in (1, 3, 100):
            found = best_of(ids, "loss", is_largest=is_largest, limit=limit)
            assert [(best.value, best.run_id) for best in found] == expected[:limit]


def test_a_run_whose_best_is_not_packed_yet_is_found(clickhouse, settings):
    """Its other rows alone would not make it one of the best."""
    settings.SEGMENT_STORE = "clickhouse"
    project = ProjectFactory()
    runs = [logged(project, [float(number)] * 10) for number in range(5)]
    for run in runs:
        packed(run)
    send(runs[4], [line(10, loss=-1.0)], offset=10)
    found = best_of([run.pk for run in runs], "loss", is_largest=False, limit=2)
    assert [(best.run_id, best.value) for best in found] == [(runs[4].pk, -1.0), (runs[0].pk, 0.0)]


@pytest.mark.parametrize("bins", [1, 7, 50])
def test_a_distribution_is_that_of_all_points(placed, bins):
    project = ProjectFactory()
    values = [random_values(40 + seed, seed) for seed in range(5)] + [[3.0] * 9]
    runs = [logged(project, some) for some in values]
    for number, run in enumerate(runs):
        placed(run, number)
    everything = np.concatenate(values)
    found = distribution_of([run.pk for run in runs], "loss", bins=bins)
    assert (found.runs, found.points, found.finite) == (6, everything.size, everything.size)
    assert found.mean == pytest.approx(everything.mean())
    assert (found.edges[0], found.edges[-1], len(found.edges)) == (
        everything.min(),
        everything.max(),
        bins + 1,
    )
    counts, _ = np.histogram(everything, np.array(found.edges))
    assert found.counts == counts.tolist()


def test_odd_numbers_are_counted_and_lie_in_bins_where_they_are_finite(placed):
    project = ProjectFactory()
    run = logged(project, ODD)
    placed(run)
    found = distribution_of([run.pk], "loss", bins=4)
    assert (found.points, found.finite) == (8, 5)
    assert found.mean == pytest.approx(1.0)
    assert found.edges == [-1e308, -5e307, 0.0, 5e307, 1e308]
    assert found.counts == [1, 0, 3, 1]


def test_what_is_all_the_same_has_one_bin(placed):
    run = logged(ProjectFactory(), [2.5] * 9)
    placed(run)
    found = distribution_of([run.pk], "loss", bins=20)
    assert (found.edges, found.counts) == ([2.5, 2.5], [9])
    nothing = distribution_of([run.pk], "unknown", bins=20)
    assert (nothing.runs, nothing.points, nothing.counts, nothing.edges) == (0, 0, [], [])


def test_a_key_logged_among_others_and_one_with_a_path(placed):
    project = ProjectFactory()
    run = RunFactory(project=project)
    rows = [line(step, a=step, **({"deep": {"loss": step / 2}} if step % 3 else {})) for step in range(12)]
    send(run, rows, offset=0)
    placed(run)
    found = distribution_of([run.pk], "deep.loss", bins=2)
    assert (found.points, found.edges[0], found.edges[-1]) == (8, 0.5, 5.5)
    assert [best.value for best in best_of([run.pk], "a", is_largest=True, limit=5)] == [11]


# -- what counts -----------------------------------------------------------------------------------------------------


def test_what_was_merged_counts_once_and_what_was_deleted_not_at_all(clickhouse, settings):
    """Old contents still lie in ClickHouse for an hour."""
    settings.SEGMENT_STORE = "clickhouse"
    project = ProjectFactory()
    run, gone = RunFactory(project=project), logged(project, [-100.0] * 10)
    packed(gone)
    for start in range(0, 18, 6):
        send(run, [line(step, loss=float(step)) for step in range(start, start + 6)], offset=start)
        packed(run)
    assert Segment.objects.filter(stream__run=run).count() == 1
    Segment.objects.filter(stream__run=gone).delete()
    Stream.objects.filter(run=gone).delete()
    found = distribution_of([run.pk, gone.pk], "loss", bins=3)
    assert (found.runs, found.points, found.counts) == (1, 18, [6, 6, 6])
    assert [best.value for best in best_of([run.pk, gone.pk], "loss", is_largest=False, limit=5)] == [0.0]


@pytest.mark.parametrize("store", ["files", "clickhouse"])
def test_rows_that_are_packed_meanwhile_count_once(store, clickhouse, settings, monkeypatch):
    """Between the look at segments and that at the tail; the walk then finds all of them."""
    settings.SEGMENT_STORE = store
    run = logged(ProjectFactory(), [float(value) for value in range(30)])
    look = Tail.objects.filter

    def packing(*given, **wanted):
        if not Segment.objects.exists():
            compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)
        return look(*given, **wanted)

    monkeypatch.setattr(Tail.objects, "filter", packing)
    found = distribution_of([run.pk], "loss", bins=1)
    assert Segment.objects.exists()
    assert (found.points, found.counts) == (30, [30])


def test_a_segment_whose_first_rows_the_walk_has_passed_counts_from_there(clickhouse, settings, monkeypatch):
    """Others were merged into it meanwhile; ClickHouse would be asked about all of it."""
    settings.SEGMENT_STORE = "clickhouse"
    run = logged(ProjectFactory(), [float(value) for value in range(10)])
    packed(run)
    [segment] = Segment.objects.all()
    monkeypatch.setattr(sources, "_is_whole", lambda *_: False)
    monkeypatch.setattr(sources, "blocks", lambda *_: [row_blocks.Block(segment, 4)])
    found = distribution_of([run.pk], "loss", bins=1)
    assert (found.points, found.edges) == (6, [4, 9])


def test_the_number_of_statements_does_not_grow_with_runs(django_assert_num_queries):
    project = ProjectFactory()
    runs = [logged(project, random_values(10, seed)).pk for seed in range(9)]
    for some in (runs[:2], runs):
        with django_assert_num_queries(5):
            distribution_of(some, "loss", bins=5)


def test_more_than_can_be_read_here_is_refused_with_the_limit(monkeypatch):
    project = ProjectFactory()
    run = logged(project, random_values(30, 1))
    monkeypatch.setattr(distributions, "MAX_POINTS", 29)
    with pytest.raises(Invalid, match="more than 29 points"):
        distribution_of([run.pk], "loss", bins=5)
    monkeypatch.setattr(sources, "MAX_BLOCKS", 5)
    with pytest.raises(Invalid, match="more than 5 blocks"):
        best_of([run.pk], "loss", is_largest=True, limit=1)


# -- REST ------------------------------------------------------------------------------------------------------------


def ask(client, project, user, question, **given):
    headers = {"Authorization": basic(make_key(user))}
    return client.get(f"/api/v1/projects/{project.pk}/{question}/", given, headers=headers)


def test_programs_ask_about_a_project(client, placed):
    project = ProjectFactory()
    user = make_member(project.team)
    runs = [logged(project, random_values(20, seed)) for seed in range(4)]
    runs[3].display_name = "left out"
    runs[3].save()
    for number, run in enumerate(runs):
        placed(run, number)
    answer = ask(
        client, project, user, "best_runs", key="loss", goal="maximize", limit=2, filter='name != "left out"'
    )
    assert answer.status_code == 200
    expected = sorted(
        ((max(random_values(20, seed)), runs[seed]) for seed in range(3)), key=lambda one: -one[0]
    )[:2]
    assert answer.json() == {
        "key": "loss",
        "goal": "maximize",
        "runs": [
            {"id": run.pk, "uid": run.uid, "name": run.display_name, "value": value}
            for value, run in expected
        ],
    }
    found = ask(client, project, user, "distribution", key="loss", bins=5).json()
    assert (found["runs"], found["points"], sum(found["counts"]), len(found["edges"])) == (4, 80, 80, 6)
    nothing = ask(client, project, user, "distribution", key="unknown").json()
    assert (nothing["mean"], nothing["points"], nothing["edges"]) == (None, 0, [])


@pytest.mark.parametrize(
    ("question", "given", "says"),
    [
        ("best_runs", {}, "Name the key"),
        ("best_runs", {"key": "loss", "goal": "up"}, "goal must be minimize or maximize"),
        ("best_runs", {"key": "loss", "limit": "many"}, "limit"),
        ("distribution", {"key": "loss", "bins": "x"}, "bins"),
        ("distribution", {"key": "loss", "filter": "((("}, ""),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(client, question, given, says):
    project = ProjectFactory()
    answer = ask(client, project, make_member(project.team), question, **given)
    assert answer.status_code == 400
    assert says in answer.content.decode()


def test_a_cluster_that_is_down_is_503(client, settings, clickhouse):
    settings.SEGMENT_STORE = "clickhouse"
    project = ProjectFactory()
    user = make_member(project.team)
    packed(logged(project, random_values(20, 1)))
    settings.CLICKHOUSE_URL = "http://127.0.0.1:9/runyard"
    for question in ("best_runs", "distribution"):
        answer = ask(client, project, user, question, key="loss")
        assert answer.status_code == 503
        assert answer.json()["error"]["message"] == "ClickHouse does not answer; try again later."
