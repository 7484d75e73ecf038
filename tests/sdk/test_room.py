"""An SDK whose files are refused, because more is stored than the plan has, trains on and ends well (BIL-3)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import Person, person
from tests.sdk.wire import Run
from tests.waiting import until

pytestmark = pytest.mark.sdk

SCENARIO = Path(__file__).with_name("scenarios") / "full.py"
FULL = """
from datetime import timedelta
from django.utils import timezone
from billing.models import Plan, Subscription
from storage.models import Holding
plan = Plan.objects.create(key="tiny", name="Tiny", included_storage_gb=0, grace_days=0)
row = Subscription.objects.get(team__name={name!r})
Holding.objects.create(team_id=row.team_id, category="file", size_bytes=2 * 10**9)
since = timezone.now() - timedelta(days=1)
Subscription.objects.filter(pk=row.pk).update(plan=plan, over_storage_since=since)
"""
BEFORE_CORE = sdks.ends()[:1]
"""The releases whose service is written in Python; it asks the server for messages."""
SAYS = "Files of this run will not be stored:"


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Give an installation that enforces limits."""
    with Installation(tmp_path_factory.mktemp("strict"), RUNYARD_ENFORCE_LIMITS="1") as server:
        yield server


@pytest.fixture(scope="module")
def full(strict: Installation) -> Iterator[Person]:
    """Give somebody whose storage is full and whose grace is over."""
    with person(strict, "full-fay") as made:
        strict.manage("shell", "--no-imports", "-c", FULL.format(name=made.name))
        yield made


@pytest.mark.parametrize("version", sdks.newest())
def test_a_run_without_room_for_files_keeps_its_metrics_and_ends_well(
    full: Person, sdk: Callable[[str], Path], tmp_path: Path, version: str
) -> None:
    project = f"full-{version}"
    env = {**full.env, "WANDB_PROJECT": project, "SAVES": "yes"}
    done = sdks.run_script(
        sdk(version), SCENARIO.read_text(), env=env, cwd=tmp_path
    )  # would try again and again for hours
    assert (SAYS in done.stderr) == (version in BEFORE_CORE), (
        "once wandb-core asks for messages of servers, say so in docs/use/limits.md"
    )
    run = Run(full.name, project, "full")
    until(lambda: full.wire.run(run)["state"] == "finished", "the run has ended")
    found = full.wire.run(run)
    assert [row["loss"] for row in full.wire.rows(run) if "loss" in row] == [1 / (n + 1) for n in range(20)]
    assert '"best": 0.05' in found["summaryMetrics"] or '"best":0.05' in found["summaryMetrics"]
    assert '"lr"' in found["config"]
    assert any("step 19 is done" in line for line in full.wire.log(run))
    names = full.wire.files(run)
    assert "config.yaml" in names
    assert not names & {"notes.txt", "weights.bin"}
    assert not any(name.startswith("media/") for name in names)


@pytest.mark.parametrize("version", BEFORE_CORE)
def test_a_release_before_wandb_core_prints_that_files_will_not_be_stored(
    full: Person, sdk: Callable[[str], Path], tmp_path: Path, version: str
) -> None:
    env = {**full.env, "WANDB_PROJECT": f"told-{version}"}
    done = sdks.run_script(sdk(version), "import wandb\nwandb.init()", env=env, cwd=tmp_path)
    assert f"{SAYS} {full.name} stores 2" in done.stderr  # or 2.00, with what other tests have stored
