"""Lines of metrics on the home page and a project's overview."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from metrics.series.sparklines import metric_lines, mini_charts
from metrics.tests.ingest.test_ingest import post, send
from runs.logs.blocks import LogLines, write_logs
from runs.models import Run
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory(name="vision"), name="digits")


@pytest.fixture
def member(client, project):
    user = make_member(project.team)
    client.force_login(user)
    return user


def logged(project, user, *values, **fields):
    run = RunFactory(project=project, user=user, summary_text=f'{{"val/loss": {values[-1]}}}', **fields)
    rows = [{"_step": n, "_timestamp": 100.0 + n * 2, "val/loss": value} for n, value in enumerate(values)]
    send(post(run, history=(0, rows)))
    return run


def test_a_line_fills_its_box_and_says_the_pace(project, member):
    run, level = logged(project, member, 3.0, 1.0, 2.0), logged(project, member, 1.0)
    lines = metric_lines({run.pk: "val/loss", level.pk: "val/loss"})
    assert lines[run.pk].points == "0.0,1.5 50.0,22.5 100.0,12.0"
    assert (lines[run.pk].last, lines[run.pk].steps_per_s) == (2.0, 0.5)
    assert (lines[level.pk].points, lines[level.pk].steps_per_s) == ("0.0,12.0 100.0,12.0", None)
    assert metric_lines({run.pk: "ghost"}) == {}


def test_a_chart_has_one_scale_for_all_its_lines(project, member):
    pair = [logged(project, member, 0.0, 4.0), logged(project, member, 2.0, 2.0, 2.0)]
    [chart] = mini_charts([run.pk for run in pair], ["val/loss", "ghost"])
    assert (chart.low, chart.high, chart.first_step, chart.last_step) == (0.0, 4.0, 0.0, 2.0)
    assert chart.points_of[pair[0].pk] == "0.0,22.5 50.0,1.5"
    assert chart.points_of[pair[1].pk] == "0.0,12.0 50.0,12.0 100.0,12.0"


def test_no_run_is_twice_on_the_home_page(client, project, member):
    running, done, failed = (
        logged(project, member, 2.0, 1.0, display_name=name) for name in ("on", "over", "bad")
    )
    Run.objects.filter(pk=done.pk).update(state="finished")
    Run.objects.filter(pk=failed.pk).update(state="failed", finished_at=timezone.now(), exit_code=1)
    write_logs([(failed.pk, LogLines(0, ["ERROR 2026-11-21T07:20:26.0 RuntimeError: CUDA out of memory."]))])
    reply = client.get("/")
    own = reply.context["own"]
    assert [[one.run for one in part] for part in (own.failed, own.running, own.recent)] == [
        [failed],
        [running],
        [done],
    ]
    assert own.failed[0].cause == "Out of GPU memory"
    assert own.running[0].line.last == 1.0
    assert reply.content.decode().count("<polyline") == 2
    Run.objects.filter(pk=failed.pk).update(finished_at=timezone.now() - timedelta(days=2))
    own = client.get("/").context["own"]
    assert (own.failed, {one.run for one in own.recent}) == ([], {done, failed})


def test_home_and_overview_cost_the_same_with_many_runs(
    client, project, member, django_assert_max_num_queries
):
    pages = ["/", reverse("runs:project_overview", args=["vision", "digits"])]
    for state in ("running", "failed", "finished") * 3:
        run = logged(project, member, 2.0, 1.0)
        Run.objects.filter(pk=run.pk).update(state=state, finished_at=timezone.now())
    for page in pages:
        client.get(page)  # key sets are remembered
        with django_assert_max_num_queries(34):
            client.get(page)


def test_the_overview_names_the_best_run(client, project, member):
    """RUN-20."""
    for name, value in (("low", 0.2), ("lower", 0.1), ("high", 0.9)):
        logged(project, member, value, display_name=name)
    shown = client.get(reverse("runs:project_overview", args=["vision", "digits"])).context["highlights"]
    assert (shown.metric.column, shown.best.run.display_name, shown.best.value) == ("val/loss", "lower", 0.1)
    assert [chart.key for chart in shown.charts] == ["val/loss"]
