"""What `define_metric` says, as SDKs really send it (RUN-26, RUN-5)."""

import json
import re

import pytest
from django.urls import reverse

from runs.config.metric_definitions import Agreed, Definition, Definitions, agreed, definitions_in
from runs.models import Pulse, Run
from tests.factories import RunFactory, UserFactory

# define_metric("epoch", hidden=True); ("val/*", step_metric="epoch"); ("val/best", step_metric="epoch", summary="max");
# ("loss", summary="min,max,mean,last", goal="minimize" in 0.16); ("never/*", step_metric="never_logged");
# ("dotted\\.key", summary="max"); ("nested.*", step_metric="epoch", summary="max"); then all of these were logged.
SENT_BY_0_31 = [
    {"6": [3, 2], "7": [], "1": "epoch"},
    {"1": "dotted\\.key", "6": [3], "7": [2]},
    {"1": "val/best", "5": 1, "6": [1, 3], "7": [2]},
    {"1": "loss", "6": [3], "7": [1, 2, 3, 5]},
    {"2": "never/*", "5": 6, "6": [1], "7": []},
    {"1": "never_logged", "6": [], "7": []},
    {"5": 1, "6": [1], "7": [2], "2": "nested.*"},
    {"2": "val/*", "5": 1, "6": [1], "7": []},
]
SENT_BY_0_16 = [
    {"1": "epoch", "6": [2, 3]},
    {"1": "val/best", "5": 1, "6": [1, 3], "7": [2]},
    {"1": "loss", "6": [3], "7": [1, 2, 3, 5], "8": 1},
    {"1": "dotted\\.key", "6": [3], "7": [2]},
    {"1": "nested.x", "5": 1, "6": [1], "7": [2]},
    {"1": "never_logged"},
    {"1": "never/x", "5": 6, "6": [1]},
    {"1": "val/acc", "5": 1, "6": [1]},
]


def told(found: Definitions, key: str) -> Definition:
    definition = found.of(key)
    assert definition is not None
    return definition


@pytest.mark.parametrize("sent", [SENT_BY_0_31, SENT_BY_0_16])
def test_what_sdks_send_says_the_same_of_each_key(sent):
    found = definitions_in({"m": sent})
    axes = {
        key: (defined := found.of(key)) and defined.step_metric
        for key in ("val/acc", "val/best", "never/x", "nested.x", "loss", "epoch", "other", "_step")
    }
    assert axes == {
        "val/acc": "epoch", "val/best": "epoch", "never/x": "never_logged", "nested.x": "epoch", "loss": "",
        "epoch": "", "other": None, "_step": None,
    }  # fmt: skip
    assert told(found, "val/best").summary == ("max",)
    assert told(found, "loss").summary == ("min", "max", "mean", "last")
    assert told(found, "dotted.key").summary == ("max",)
    assert told(found, "epoch").is_hidden
    assert not told(found, "val/acc").is_hidden
    assert "never_logged" not in [row.name for row in found.listed()]


def test_a_goal_holds_for_the_key_and_what_its_summary_has():
    found = definitions_in({"m": [*SENT_BY_0_16, {"1": "acc", "7": [4], "8": 2}]})
    assert [found.goal_of(key) for key in ("loss", "loss.min", "acc.best", "val/best", "loss.of.x")] == [
        "minimize", "minimize", "maximize", "", "",
    ]  # fmt: skip


def test_the_longest_glob_holds_and_an_exact_name_before_it():
    found = Definitions(
        [
            Definition("*", "global_step"),
            Definition("val/*", "epoch"),
            Definition("val/lr", is_hidden=True),
            Definition("global_step", is_explicit=False),
        ]
    )
    axes = [told(found, key).step_metric for key in ("loss", "val/acc", "val/lr", "global_step")]
    assert axes == ["global_step", "epoch", "", ""]  # no metric is its own axis


@pytest.mark.parametrize(
    "sent",
    [
        None, {}, "m", [None], [[]], [{}], [{"1": 7}], [{"1": "a", "5": 9, "6": "x", "7": [None], "8": []}],
        [{"1": "a", "5": -1}],
    ],
)  # fmt: skip
def test_what_is_no_definition_is_left_out(sent):
    found = definitions_in({"m": sent}).of("a")
    assert found is None or found.step_metric == ""


def test_most_runs_say_how_a_key_is_drawn_and_the_newest_of_as_many():
    by_epoch, by_batch = Definition("a", "epoch", goal="minimize"), Definition("a", "batch", is_hidden=True)
    assert agreed([by_batch, by_epoch, by_epoch]) == Agreed("epoch", is_hidden=False, goal="minimize")
    assert agreed([by_batch, by_epoch]) == Agreed("batch", is_hidden=True, goal="")
    assert agreed([None, by_epoch, None]) == Agreed()


@pytest.fixture
def defined(db):
    run = RunFactory()
    text = json.dumps({"lr": {"value": 0.1}, "_wandb": {"value": {"m": SENT_BY_0_16}}})
    Run.objects.filter(pk=run.pk).update(config_text=text)
    return run


def test_the_run_page_and_rest_list_what_a_script_defined(client, defined):
    client.force_login(defined.project.team.memberships.first().user)
    names = [defined.project.team.name, defined.project.name, defined.uid]
    page = client.get(reverse("runs:run_overview", args=names)).content.decode()
    assert "Metric definitions" in page
    assert "never_logged</code></th>" not in page
    assert "Lower is better" in page
    told = client.get(reverse("api-run-detail", args=[defined.pk])).json()
    by_name = {row["name"]: row for row in told["metric_definitions"]}
    assert by_name["loss"] == {
        "name": "loss", "step_metric": "", "step_sync": False, "hidden": False,
        "summary": ["min", "max", "mean", "last"], "goal": "minimize",
    }  # fmt: skip
    assert by_name["epoch"]["hidden"] is True
    client.force_login(UserFactory())
    assert client.get(reverse("api-run-detail", args=[defined.pk])).status_code == 404


def test_comparing_runs_says_which_is_best_where_a_goal_is_defined(client, defined):
    """RUN-29."""
    other = RunFactory(project=defined.project)
    Run.objects.filter(pk=other.pk).update(config_text=Run.objects.get(pk=defined.pk).config_text)
    for run, loss in ((defined, 0.5), (other, 0.25)):
        Pulse.objects.filter(run=run).update(summary_flat={"loss.min": loss, "speed": loss})
    client.force_login(defined.project.team.memberships.first().user)
    url = reverse("runs:compare", args=[defined.project.team.name, defined.project.name])
    page = client.get(url, {"runs": [defined.uid, other.uid]}).content.decode()
    assert re.findall(r'data-key="([^"]+)"[^>]*data-goal="(\w+)"', page) == [("loss.min", "minimize")]
    assert re.findall(r'is-best" data-n="([^"]+)"', page) == ["0.25"]
