"""Columns over all runs of a workspace, and what parameters tell of a metric (RUN-26)."""

import math
import random
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from metrics.views import run_columns
from metrics.workspace.importance import importances, ranks
from runs.models import Pulse, Run
from runs.secrets.masking import MASK
from runs.table.catalogue import invalidate_catalogue
from tests.factories import ProjectFactory, RunFactory, UserFactory


@pytest.fixture
def project(db):
    project = ProjectFactory()
    yield project
    invalidate_catalogue(project.pk)


@pytest.fixture
def owner(client, project):
    user = project.team.memberships.first().user
    client.force_login(user)
    return user


def fill(project: Any, flats: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Make finished runs with these flat configs and summaries, r0 first."""
    now = timezone.now()
    runs = [
        Run(project=project, uid=f"r{at}", number=at + 1, display_name=f"run {at}", state="finished", started_at=now,
            finished_at=now, config_flat=config)
        for at, (config, _summary) in enumerate(flats)
    ]  # fmt: skip
    Run.objects.bulk_create(runs, batch_size=1000)
    pulses = [
        Pulse(run=run, heartbeat_at=now, summary_flat=summary)
        for run, (_config, summary) in zip(runs, flats, strict=True)
    ]
    Pulse.objects.bulk_create(pulses, batch_size=1000)


def ask(client, project, name, **query):
    url = reverse(f"metrics:project_{name}", args=[project.team.name, project.name])
    return client.get(url, query, headers={"Accept-Encoding": ""})


def test_columns_of_all_runs_come_in_one_answer_with_the_limit_told(
    client, owner, project, django_assert_max_num_queries
):
    """RUN-26: of 10,002 runs the first 10,000 in the list's order, by as many statements as for few."""
    fill(project, [({"lr": at / 8}, {"loss": float(at)}) for at in range(run_columns.MAX_RUNS + 2)])
    names = ["config.lr", "summary.loss", "runtime", "created", "group", "tags"]
    with django_assert_max_num_queries(12):
        body = ask(client, project, "columns", columns=names, order="-summary.loss").json()
    assert body["total"] == run_columns.MAX_RUNS + 2
    assert len(body["uid"]) == run_columns.MAX_RUNS == len(body["color"]) == len(body["name"])
    assert body["uid"][:2] == ["r10001", "r10000"]
    assert body["columns"]["config.lr"][0] == 10001 / 8
    assert body["columns"]["summary.loss"][-1] == 2.0
    assert set(body["state"]) == {"finished"}
    assert body["columns"]["created"][0] == pytest.approx(timezone.now().timestamp(), abs=300)
    assert list(body["columns"]) == names


def test_columns_follow_filter_and_search(client, owner, project):
    fill(project, [({"lr": at}, {}) for at in range(12)])
    assert ask(client, project, "columns", filter="config.lr >= 10", order="name").json()["uid"] == [
        "r10",
        "r11",
    ]
    assert ask(client, project, "columns", search="RUN 7").json()["uid"] == ["r7"]
    assert ask(client, project, "columns", columns=["nothing"]).status_code == 400


def test_columns_have_keys_of_any_name_and_numbers_of_any_kind(client, owner, project):
    config = {"learning rate, max": ["NaN"], "name": "adam", "on": True}
    fill(project, [(config, {"loss": ["Infinity"]})])
    names = ["config.learning rate, max", "config.name", "config.on", "summary.loss", "config.none", "name"]
    columns = ask(client, project, "columns", columns=names).json()["columns"]
    assert columns == dict(
        zip(names, (["NaN"], ["adam"], [True], ["Infinity"], [None], ["run 0"]), strict=True)
    )


def test_columns_are_masked_and_hidden_from_strangers(client, owner, project):
    """Secrets are masked for those who may see runs; strangers find neither columns nor importance."""
    token = "ghp_" + "a1" * 18
    run = RunFactory(project=project, display_name=f"tried {token}")
    Run.objects.filter(pk=run.pk).update(group=token)
    body = ask(client, project, "columns", columns=["group"]).json()
    assert token not in str(body)
    assert MASK in body["columns"]["group"][0]
    client.force_login(UserFactory())
    for name in ("columns", "importance"):
        assert ask(client, project, name, metric="summary.loss").status_code == 404


def test_importance_finds_what_decides_the_metric(client, owner, project, django_assert_max_num_queries):
    """RUN-26: a valley, a text and a weak switch are found; noise, constants and what each run has alone are not."""
    source = random.Random(5)
    flats = []
    for at in range(400):
        lr, optimizer = 10 ** source.uniform(-5, -1), source.choice(["adam", "sgd", "lion"])
        loss = (math.log10(lr) + 3) ** 2 + (optimizer == "sgd") + source.random() / 20
        config = {
            "lr": lr,
            "optimizer": optimizer,
            "layers": at,
            "path": f"/runs/{at}",
            "epochs": 3,
            "_wandb.gpu": at % 4,
        }
        flats.append((config | ({"late": loss} if at % 4 else {}), {"loss": loss, "steps": at}))
    flats += [({"lr": 1.0}, {})]
    fill(project, flats)
    with django_assert_max_num_queries(14):
        body = ask(client, project, "importance", metric="summary.loss").json()
    found = {key["column"]: key for key in body["keys"]}
    assert (body["total"], body["runs"], body["known"], body["left_out"]) == (401, 401, 400, 0)
    assert list(found) == ["config.late", "config.lr", "config.optimizer", "config.layers", "config.path"]
    late, lr, optimizer = found["config.late"], found["config.lr"], found["config.optimizer"]
    assert (late["count"], late["spearman"], late["pearson"]) == (300, 1.0, 1.0)
    assert lr["importance"] > 0.6 > optimizer["importance"] > 0.05
    assert abs(lr["spearman"]) < 0.15  # a valley neither rises nor falls
    assert (optimizer["values"], optimizer["is_number"], optimizer["spearman"]) == (3, False, None)
    assert found["config.layers"]["importance"] < 0.03
    assert (found["config.path"]["importance"], found["config.path"]["error"]) == (None, None)
    assert 0 < lr["error"] < 0.1
    narrowed = ask(
        client, project, "importance", metric="summary.loss", filter='config.optimizer = "sgd"'
    ).json()
    assert "config.optimizer" not in {key["column"] for key in narrowed["keys"]}
    assert ask(client, project, "importance", metric="name").status_code == 400


def test_importance_stays_sound_with_what_training_brings():
    """Diverged runs, one value, booleans, mixed types and too few runs neither fail nor decide."""
    loss = [float(at) for at in range(30)]
    diverged = [*loss[:28], 1e308, math.inf]
    columns: dict[str, list[Any]] = {
        "falls": [-value for value in loss], "switch": [at % 2 == 0 for at in range(30)],
        "mixed": ["auto" if at % 2 else 0.1 for at in range(30)],
        "huge": [10**400 if at > 14 else 1 for at in range(30)],
        "same": [1] * 30, "unknown": [None] * 30, "nan": [math.nan] * 30, "few": [1, 2, *[None] * 28],
    }  # fmt: skip
    found = {key.column: key for key in importances(diverged, columns.items()).keys}
    assert set(found) == {"falls", "switch", "mixed", "huge"}
    assert found["falls"].spearman == pytest.approx(-1)
    assert (found["falls"].importance or 0) > 0.8
    assert found["huge"].pearson is None
    assert found["huge"].importance == pytest.approx(0.74, abs=0.02)
    assert importances([1.0, 2.0, None, math.nan], {"a": [1, 2, 3, 4]}.items()).keys == []
    assert importances([2.0] * 9, {"a": list(range(9))}.items()).keys[0].importance is None


def test_equal_values_share_their_rank():
    assert ranks(np.array([3.0, 1.0, 3.0, math.inf])).tolist() == [2.5, 1.0, 2.5, 4.0]
