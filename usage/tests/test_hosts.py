"""Machines that are only watched: no tracked hours, and each second of a GPU counts once (BIL-4, AGT-2)."""

import json
from datetime import timedelta

import numpy as np
import pytest
from django.db.models import Sum
from django.utils import timezone

from access.actor import SYSTEM
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import history, post
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run
from tests.factories import OrganizationFactory, ProjectFactory, RunFactory, TeamFactory, add_run_file
from usage.metering import gpu_claims, hardware, meter
from usage.metering.gpu_claims import within, without
from usage.models import (
    GpuClaim,
    HardwareShift,
    HardwareUse,
    ReportedTime,
    TeamDay,
    TrackedInterval,
    UsageDay,
)
from usage.tests.test_hardware import NOON, sample, send

pytestmark = pytest.mark.django_db

FILE = "wandb-metadata.json"


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.SEGMENT_ROOT = tmp_path


def told(*uuids, host="gpu-01", **more):
    """What a metadata file tells of a machine."""
    return json.dumps(
        {"host": host, "gpu_nvidia": [{"name": "H200", "uuid": uuid} for uuid in uuids], **more}
    ).encode()


def on(*uuids, project, job_type="", host="gpu-01"):
    """A run on a machine with these GPUs."""
    run = RunFactory(project=project, job_type=job_type)
    add_run_file(run, FILE, told(*uuids, host=host))
    return run


def samples(run, *watts, seconds=60, since=NOON, held=(), label=""):
    """Samples of every GPU each 10 s."""
    end = f"/l:{label}" if label else ""
    more = {f"system.gpu.process.{n}.gpu{end}": 90.0 for n in held}
    send(run, [sample(since + at, *watts, label=label, **more) for at in range(0, seconds + 1, 10)])


def measured(*runs):
    """Measure in this order, and return the sums of the days: (GPU s, J, of hosts, J of hosts)."""
    for run in runs:
        hardware.measure_run(run.pk)
    return sums()


NAMES = ("gpu_s", "energy_j", "host_gpu_s", "host_energy_j")


def sums(rows=TeamDay):
    meter.run_meter()
    found = rows.objects.aggregate(**{f"{name}_": Sum(name) for name in NAMES})
    return tuple(found[f"{name}_"] or 0 for name in NAMES)


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.mark.parametrize("order", [1, -1])
def test_a_second_of_a_gpu_is_the_trainings_and_only_the_rest_the_hosts(project, order):
    """A host with two GPUs is watched for 60 s; a training uses the first for 30 s of them."""
    host = on("GPU-a", "GPU-b", project=project, job_type="host")
    training = on("GPU-a", project=project, host="3f2a9c")
    samples(host, 300.0, 100.0)
    samples(training, 300.0, seconds=30)
    expected = (30, 9000, 90, 30 * 300 + 60 * 100)
    assert measured(*[host, training][::order]) == expected
    meter.rebuild()
    assert sums() == sums(UsageDay) == expected


def test_attaching_to_a_runs_own_host_counts_its_gpus_once(project):
    """`attach --label` on the machine that the SDK samples, too: 2 GPUs for 60 s are 120 GPU seconds."""
    run = on("GPU-a", "GPU-b", project=project)
    add_run_file(run, "runyard-hosts/node-3.json", told("GPU-a", "GPU-b", label="node-3"))
    samples(run, 100.0, 100.0)
    samples(run, 100.0, 100.0, label="node-3", since=NOON + 3)
    assert measured(run) == (126, 12_600, 0, 0)  # the second one began and ended 3 s later
    assert run.hosts.get().told["host"] == "gpu-01"


def test_who_has_a_process_on_the_gpu_has_the_better_claim(project):
    """Two runs see both GPUs of their machine; each is charged for the one that it uses."""
    first, second = (on("GPU-a", "GPU-b", project=project) for _ in range(2))
    samples(first, 100.0, 200.0, held=[0])
    samples(second, 100.0, 200.0, held=[1])
    assert measured(first, second) == (120, 18_000, 0, 0)
    used = {
        run.pk: sum(
            ledger.objects.filter(run_id=run.pk).aggregate(j=Sum("energy_j"))["j"] or 0
            for ledger in (HardwareUse, HardwareShift)
        )
        for run in (first, second)
    }
    assert used == {first.pk: 6000, second.pk: 12_000}


@pytest.mark.parametrize(("is_one_payer", "expected"), [(True, 60), (False, 120)])
def test_teams_of_an_organization_share_a_gpu_and_strangers_never(is_one_payer, expected):
    """UUIDs come from clients: naming another's takes nothing from them."""
    organization = OrganizationFactory()
    teams = [
        TeamFactory(organization=organization if is_one_payer else OrganizationFactory()) for _ in range(2)
    ]
    runs = [on("GPU-a", project=ProjectFactory(team=team)) for team in teams]
    for run in runs:
        samples(run, 100.0)
    assert measured(*runs)[0] == expected


@pytest.mark.parametrize("cut", [1, 4, 7])
def test_in_whatever_pieces_it_is_measured_it_comes_to_the_same(project, cut):
    """Claims touch where a piece ends, and become one."""
    run = on("GPU-a", project=project)
    rows = [sample(NOON + 10 * n, 100.0 + n) for n in range(8)]
    for some in (rows[:cut], rows[cut:]):
        send(run, some)
        hardware.measure_run(run.pk)
    assert sums()[:2] == (70, 10 * sum(100 + n for n in range(7)))
    assert GpuClaim.objects.count() == (1 if cut > 0 else 0)


def test_power_that_is_sampled_less_often_holds_between_pieces(project):
    run = on("GPU-a", project=project)
    for at in range(0, 100, 10):
        send(run, [sample(NOON + at, *([200.0] if at % 30 == 0 else []), **{"system.gpu.0.gpu": 1.0})])
        hardware.measure_run(run.pk)
    assert sums()[:2] == (90, 90 * 200)


def test_a_host_has_no_tracked_hours(project):
    """BIL-4: 20 hosts would be 14,400 hours a month; its GPUs count as the host's, however it ends."""
    run = on("GPU-a", project=project, job_type="host")
    samples(run, 100.0)
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now() + timedelta(hours=1))
    assert measured(run) == (0, 0, 60, 6000)
    assert not TrackedInterval.objects.exists()
    assert not ReportedTime.objects.exists()
    meter.rebuild()
    assert TeamDay.objects.aggregate(s=Sum("tracked_s"))["s"] == 0


def _logs(run):
    write_group([post(run, history=(0, history(0, 1)))])


def _prints(run):
    write_group([post(run, log=(0, ["epoch 1"]))])


def _summarizes(run):
    write_group([post(run, summary='{"loss": 0.1}')])


def _is_renamed(run):
    lifecycle.update_run(actor=SYSTEM, run=run, fields=RunFields(job_type="train"))


@pytest.mark.parametrize("say", [_logs, _prints, _summarizes, _is_renamed])
def test_a_job_type_hides_no_training(project, say, time_machine):
    """BIL-4: what says more than a machine does is a training from its beginning on, with its GPUs."""
    begun = timezone.now().replace(microsecond=0)
    time_machine.move_to(begun, tick=False)
    run = on("GPU-a", project=project, job_type="host")
    samples(run, 100.0)
    assert measured(run) == (0, 0, 60, 6000)
    time_machine.move_to(begun + timedelta(hours=2), tick=False)
    say(run)
    assert not Run.objects.get(pk=run.pk).is_host
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=begun + timedelta(hours=3))
    time_machine.move_to(begun + timedelta(hours=3), tick=False)
    assert sums() == (60, 6000, 0, 0)
    assert TeamDay.objects.aggregate(s=Sum("tracked_s"))["s"] == 3 * 3600
    meter.rebuild()
    assert sums() == (60, 6000, 0, 0)
    assert TeamDay.objects.aggregate(s=Sum("tracked_s"))["s"] == 3 * 3600


def test_samples_signs_of_life_and_notes_of_the_client_are_no_training(project):
    run = on("GPU-a", project=project, job_type="host")
    write_group([post(run, summary='{"_wandb": {"runtime": 5}}')])
    lifecycle.update_run(actor=SYSTEM, run=run, fields=RunFields(display_name="rack 3", tags=["rack"]))
    assert Run.objects.get(pk=run.pk).is_host


def test_stretches_are_cut():
    """The arithmetic of claims."""
    assert without([(0, 10)], [(2, 3), (5, 20)]) == [(0, 2), (3, 5)]
    assert without([(0, 10), (20, 30)], []) == [(0, 10), (20, 30)]
    assert without([(0, 10)], [(0, 10)]) == []
    assert within([(0, 10), (20, 30)], [(5, 25)]) == [(5, 10), (20, 25)]
    assert gpu_claims.Energy(np.array([0.0, 10.0]), np.array([5.0, 7.0])).within((5.0, 200.0)) == 25 + 7 * 120
