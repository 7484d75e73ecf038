"""The cluster view: machines and GPUs from what runs tell, each GPU once (issue 8, wishes 69 to 71)."""

import json
import time
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from access.web.requests import actor_of_user
from metrics.hardware import hosts, machines
from metrics.hardware.hosts import cluster_of
from metrics.hardware.run_hardware import nodes_of
from metrics.models import Stream, StreamKind, Tail
from metrics.store import compaction, reads
from metrics.store.compaction import pack_stream
from metrics.tests.ingest.test_ingest import post, send
from runs.hosts.services import METADATA
from runs.lifecycle import services as lifecycle
from runs.models import Pulse, Run, RunHost
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, add_run_file, make_member

pytestmark = pytest.mark.django_db

NAME = "NVIDIA H100 80GB HBM3"
GIB = 1024**3


def cards(*uuids):
    return [{"name": NAME, "uuid": uuid, "memoryTotal": str(80 * GIB)} for uuid in uuids]


def told(host, *uuids, **more):
    return {"host": host, "os": "Linux", "cpu_count": 48, "cpu_count_logical": 96, "memory": {"total": str(1024 * GIB)},
            "gpu": NAME, "gpu_count": len(uuids), "gpu_nvidia": cards(*uuids), **more}  # fmt: skip


def config(*environments):
    own = {"e": {str(number): told for number, told in enumerate(environments)}}
    return json.dumps({"lr": {"value": 1}, "_wandb": {"value": own}})


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def viewer(project):
    return actor_of_user(make_member(project.team))


def running(project, *environments, job_type="", **fields):
    return RunFactory(project=project, config_text=config(*environments), job_type=job_type, **fields)


def sampled(run, *samples, ago_s=0.0):
    at = time.time() - ago_s
    rows = [
        {
            "_timestamp": at + n / 100,
            "_runtime": 1.0,
            **{f"system.{key}": value for key, value in row.items()},
        }
        for n, row in enumerate(samples)
    ]
    offset = reads.cursor(run.pk, StreamKind.SYSTEM)
    send(post(Run.objects.get(pk=run.pk), system=(offset, rows)))


def only_host(viewer, project):
    [host] = cluster_of(viewer, project.team).hosts
    return host


def test_a_gpu_that_four_runs_see_is_one(project, viewer):
    """Wish 71: the agent of a host and three trainings sample the same GPUs; the newest sample holds."""
    runs = [running(project, told("gpu-01", "GPU-a", "GPU-b")) for _ in range(3)]
    agent = running(project, told("gpu-01", "GPU-a", "GPU-b"), job_type="host")
    for number, run in enumerate([*runs, agent]):
        sampled(run, {"gpu.0.gpu": 10.0 * number, "gpu.1.gpu": 0.0}, ago_s=40 - 10 * number)
    cluster = cluster_of(viewer, project.team)
    [host] = cluster.hosts
    assert (host.name, host.is_monitored, host.runs) == ("gpu-01", True, list(reversed(runs)))
    assert [(gpu.uuid, gpu.name, gpu.use_percent, gpu.state) for gpu in host.gpus] == [
        ("GPU-a", NAME, 30.0, "busy"),
        ("GPU-b", NAME, 0.0, "idle"),
    ]
    assert cluster.totals == hosts.HostTotals(hosts=1, gpus=2, busy=1, idle=1, stale=0, unwatched=0)


def test_containers_that_see_the_same_gpu_are_one_machine(project, viewer):
    """Wish 71: containers have names of their own; the agent knows the machine's, whichever is read first."""
    one = running(project, told("3f2a9c", "GPU-a"))
    two = running(project, told("77b0de", "GPU-b"))
    agent = running(project, told("gpu-01", "GPU-a", "GPU-b"), job_type="host")
    sampled(agent, {"cpu": 40.0, "memory_percent": 30.0, "gpu.0.gpu": 1.0, "gpu.1.gpu": 2.0})
    sampled(one, {"cpu": 99.0, "gpu.0.gpu": 50.0, "gpu.process.0.gpu": 50.0})
    sampled(two, {"cpu": 98.0, "gpu.0.gpu": 60.0})
    host = only_host(viewer, project)
    assert (host.name, host.also) == ("gpu-01", {"3f2a9c", "77b0de"})
    assert [(gpu.index, gpu.uuid, gpu.use_percent) for gpu in host.gpus if gpu.uuid == "GPU-a"] == [
        (0, "GPU-a", 50.0)
    ]
    assert {gpu.uuid for gpu in host.gpus} == {"GPU-a", "GPU-b"}
    assert host.cpu_percent == 40.0  # a run's is of its own processes
    assert set(host.runs) == {one, two}


def test_a_run_uses_the_gpus_that_its_processes_hold(project, viewer):
    """A process on a GPU makes it busy even while nothing runs; who only watches uses none."""
    run = running(project, told("gpu-01", "GPU-a", "GPU-b"))
    agent = running(project, told("gpu-01", "GPU-a", "GPU-b"), job_type="host")
    sampled(run, {"gpu.0.gpu": 0.0, "gpu.process.0.gpu": 0.0, "gpu.1.gpu": 0.0})
    sampled(agent, {"gpu.0.gpu": 0.0, "gpu.process.1.gpu": 0.0, "gpu.1.gpu": 0.0})
    first, second = only_host(viewer, project).gpus
    assert (first.users, first.state) == ([run], "busy")
    assert (second.users, second.state) == ([], "idle")


def test_nodes_known_by_their_label_alone_are_listed(project, viewer):
    """Wish 69, AGT-2: other nodes attach to a run and upload no metadata; the first is known by its name."""
    run = running(project, told("node-1.cluster", "GPU-a"))
    sampled(run, *({f"gpu.{gpu}.gpu/l:node-{node}": 50.0 + node for gpu in range(2)} for node in (1, 2, 3)))
    found = {host.name: host for host in cluster_of(viewer, project.team).hosts}
    assert set(found) == {"node-1.cluster", "node-2", "node-3"}
    assert [gpu.uuid for gpu in found["node-1.cluster"].gpus] == ["GPU-a", ""]
    assert [gpu.use_percent for gpu in found["node-3"].gpus] == [53.0, 53.0]
    assert found["node-2"].runs == [run]


def test_one_label_is_the_one_host(project, viewer):
    """A run with a label of its own choice on one machine is that machine."""
    sampled(running(project, told("gpu-01", "GPU-a")), {"gpu.0.gpu/l:trainer": 5.0})
    host = only_host(viewer, project)
    assert host.name == "gpu-01"
    assert host.gpus[0].use_percent == 5.0


def test_several_machines_of_one_run_are_listed(project, viewer):
    """Wish 70: each process of a run tells of its own machine."""
    run = running(project, told("a", "GPU-a"), told("b", "GPU-b"), told("a", "GPU-a"))
    assert RunHost.objects.filter(run=run).count() == 2
    assert {host.name for host in cluster_of(viewer, project.team).hosts} == {"a", "b"}


def test_old_samples_are_stale_and_older_ones_not_read(project, viewer):
    """A GPU of which nothing is known now is neither busy nor idle."""
    run = running(project, told("gpu-01", "GPU-a", "GPU-b"))
    sampled(run, {"gpu.0.gpu": 80.0}, ago_s=hosts.SAMPLES_FROM.total_seconds() + 5)
    assert only_host(viewer, project).gpus[0].sampled_at is None
    sampled(run, {"gpu.0.gpu": 80.0}, ago_s=machines.STALE_S + 5)
    gpu, other = only_host(viewer, project).gpus
    assert gpu.state == other.state == "stale"
    assert gpu.sampled is not None


def test_packed_samples_count_as_loose_ones(project, viewer, monkeypatch):
    """The newest values are found whether a worker has packed them or not."""
    run = running(project, told("gpu-01", "GPU-a"))
    sampled(run, {"gpu.0.gpu": 10.0, "gpu.0.temp": 50.0})
    monkeypatch.setattr(compaction, "PACK_AT_ROWS", 1)
    pack_stream(Stream.objects.get(run=run, kind=StreamKind.SYSTEM).pk)
    assert Tail.objects.filter(run=run).count() == 0
    assert only_host(viewer, project).gpus[0].use_percent == 10.0
    sampled(run, {"gpu.0.gpu": 90.0})
    gpu = only_host(viewer, project).gpus[0]
    assert (gpu.use_percent, gpu.temperature) == (90.0, 50.0)  # each as it was last


def test_hosts_of_ended_runs_stay_for_a_day(project, viewer):
    """Machines that were in use of late are listed, without values."""
    run = running(project, told("gpu-01", "GPU-a"))
    sampled(run, {"gpu.0.gpu": 80.0})
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
    host = only_host(viewer, project)
    assert (host.runs, host.gpus[0].state) == ([], "unwatched")
    Pulse.objects.filter(run=run).update(heartbeat_at=timezone.now() - hosts.RECENT)
    assert cluster_of(viewer, project.team).hosts == []


def heard(run, *, ago_s):
    Pulse.objects.filter(run=run).update(heartbeat_at=timezone.now() - timedelta(seconds=ago_s))


@pytest.mark.parametrize("is_over", [False, True])
def test_a_younger_run_without_gpus_hides_no_gpu_of_its_host(project, viewer, is_over):
    """Wish 71: what ended runs told of a host is put together, by when they were heard of, not by their number."""
    watching = running(project, told("gpu-01", "GPU-a", "GPU-b"), job_type="host")
    container = running(project, told("gpu-01", "GPU-b"))
    plain = running(project, {"host": "gpu-01"})
    for run, ago_s in ((watching, 60), (container, 120), (plain, 300)):
        if run != plain or is_over:
            lifecycle.finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
        heard(run, ago_s=ago_s)
    host = only_host(viewer, project)
    assert [(gpu.index, gpu.uuid) for gpu in host.gpus] == [(0, "GPU-a"), (1, "GPU-b")]
    assert timezone.now() - host.seen_at < timedelta(seconds=90)
    assert (host.is_monitored, host.is_live) == (False, not is_over)


def test_a_host_whose_run_went_silent_is_stale(project, viewer):
    """It may run, or be down: nobody knows. Where the last run ended well there is nothing to know."""
    lost, left = running(project, told("gpu-01", "GPU-a")), running(project, told("gpu-02", "GPU-b"))
    heard(lost, ago_s=3600)
    lifecycle.find_crashed_runs()
    lifecycle.finish_run(run_id=left.pk, exit_code=1, at=timezone.now())
    totals = cluster_of(viewer, project.team).totals
    assert (totals.stale, totals.unwatched) == (1, 1)


def test_a_run_without_metadata_is_on_its_host(project, viewer):
    """SDKs can be told to tell nothing of the machine; the run's host is known."""
    run = RunFactory(project=project)
    Run.objects.filter(pk=run.pk).update(host="plain-host")
    assert only_host(viewer, project).name == "plain-host"


def test_only_visible_runs_tell_of_hosts(project, viewer):
    """TEAM-21: machines of a restricted project, of a deleted run and of other teams are not told of."""
    restricted = ProjectFactory(team=project.team, visibility=Visibility.RESTRICTED)
    running(restricted, told("hidden", "GPU-h"))
    running(ProjectFactory(team=TeamFactory()), told("elsewhere", "GPU-e"))
    gone = running(project, told("gone", "GPU-g"))
    Run.objects.filter(pk=gone.pk).update(deleted_at=timezone.now())
    running(project, told("seen", "GPU-s"))
    assert [host.name for host in cluster_of(viewer, project.team).hosts] == ["seen"]


def test_the_page_hides_the_entity_from_strangers(client, project):
    """TEAM-21: 404 for who may not know of the team."""
    client.force_login(UserFactory())
    assert client.get(reverse("metrics:hosts", args=[project.team.name])).status_code == 404
    assert client.get("/api/v1/hosts/", {"entity": project.team.name}).status_code == 404


@pytest.mark.parametrize("count", [2, 9])
def test_the_statements_do_not_grow_with_runs(project, viewer, django_assert_max_num_queries, count):
    """A cluster of any size costs the same statements."""
    for number in range(count):
        run = running(project, told(f"gpu-{number}", f"GPU-{number}"))
        sampled(run, {"gpu.0.gpu": 50.0})
        old = running(project, told(f"old-{number}", f"GPU-o{number}"))
        lifecycle.finish_run(run_id=old.pk, exit_code=0, at=timezone.now())
    cluster_of(viewer, project.team)  # key sets are remembered
    with django_assert_max_num_queries(9):
        assert cluster_of(viewer, project.team).totals.gpus == 2 * count


def test_the_page_searches_and_sorts(client, project):
    """Search finds hosts by name, GPU and run; sorting puts the busiest first."""
    client.force_login(make_member(project.team))
    sampled(running(project, told("alpha", "GPU-a")), {"gpu.0.gpu": 1.0})
    sampled(running(project, told("beta", "GPU-b")), {"gpu.0.gpu": 99.0})
    url = reverse("metrics:hosts", args=[project.team.name])

    def names(**query):
        return [host.name for host in client.get(url, query).context["hosts"]]

    assert names() == names(sort="nonsense") == ["beta", "alpha"]
    assert names(sort="name") == ["alpha", "beta"]
    assert names(sort="sample") == ["beta", "alpha"]
    assert names(show="busy") == ["beta"]
    assert names(show="idle") == ["alpha"]
    assert names(sort="idle") == ["alpha", "beta"]
    assert names(q="gpu-B") == ["beta"]
    assert names(q="no-such-host") == []  # runs have names of animals
    lifecycle.finish_run(run_id=Run.objects.get(hosts__host="alpha").pk, exit_code=0, at=timezone.now())
    assert names() == ["beta"]  # where nothing runs takes one row
    assert "1 offline host" in client.get(url).content.decode()
    assert names(show="offline") == ["alpha"]
    part = client.get(url, {"q": "alpha"}, headers={"HX-Request": "true"}).content.decode()
    assert "alpha" in part
    assert "<html" not in part


def test_the_empty_page_tells_how_to_begin(client, project):
    """Who has no host is told how to install the agent."""
    client.force_login(make_member(project.team))
    page = client.get(reverse("metrics:hosts", args=[project.team.name])).content.decode()
    assert f"runyard-agent host --entity {project.team.name}" in page


def test_rest_tells_the_same(client, project):
    """RUN-43: everything in a page is in the REST API."""
    client.force_login(make_member(project.team))
    run = running(project, told("gpu-01", "GPU-a"))
    sampled(
        run,
        {
            "gpu.0.gpu": 70.0,
            "gpu.0.memoryAllocated": 50.0,
            "gpu.0.powerWatts": 400.0,
            "gpu.process.0.gpu": 70.0,
        },
    )
    body = client.get("/api/v1/hosts/", {"entity": project.team.name}).json()
    assert body["totals"] == {"hosts": 1, "gpus": 1, "busy": 1, "idle": 0, "stale": 0, "unwatched": 0}
    [host] = body["hosts"]
    assert (host["name"], host["cpu_count"], host["memory_bytes"]) == ("gpu-01", 96, 1024 * GIB)
    [gpu] = host["gpus"]
    assert (gpu["uuid"], gpu["state"], gpu["memory_bytes"], gpu["memory_used_bytes"]) == (
        "GPU-a",
        "busy",
        80 * GIB,
        40 * GIB,
    )
    assert gpu["runs"] == host["runs"]
    assert gpu["runs"][0]["uid"] == run.uid
    assert client.get("/api/v1/hosts/").status_code == 400


def test_an_uploaded_metadata_file_tells_the_host(project, viewer):
    """The agent uploads wandb-metadata.json and no config; one that is no JSON changes nothing."""
    run = RunFactory(project=project)
    add_run_file(run, METADATA, json.dumps(told("gpu-01", "GPU-a")).encode())
    add_run_file(run, METADATA, b"[]")
    add_run_file(run, METADATA, b"{")
    host = only_host(viewer, project)
    assert (host.name, host.os, host.cpu_count, host.memory_bytes) == ("gpu-01", "Linux", 96, 1024 * GIB)
    assert [gpu.uuid for gpu in host.gpus] == ["GPU-a"]


def test_purging_a_run_forgets_its_hosts(project):
    """RUN-7: what a deleted run told of machines goes with it."""
    from runs.lifecycle.purge import delete_related_rows

    run = running(project, told("gpu-01", "GPU-a"))
    assert delete_related_rows(run, 10) == 1
    assert not RunHost.objects.filter(run=run).exists()


def test_the_overview_tells_of_every_machine_of_the_run(client, project):
    """RUN-40, wish 70: facts, means and peaks of each node, UUIDs folded away, also of nodes without metadata."""
    client.force_login(make_member(project.team))
    run = running(project, told("node-1", "GPU-a", "GPU-b"))
    for use, memory in ((40.0, 20.0), (60.0, 70.0)):
        values = {
            "gpu.0.gpu": use,
            "gpu.1.gpu": use / 2,
            "gpu.0.memoryAllocated": memory,
            "memory_percent": memory,
        }
        sampled(run, *({f"{key}/l:node-{n}": value for key, value in values.items()} for n in (1, 2)))
    first, second = nodes_of(run)
    assert (first.name, first.gpu_names, first.gpu_memory_bytes) == ("node-1", f"2 × {NAME}", 80 * GIB)
    assert first.uuids == [(0, "GPU-a"), (1, "GPU-b")]
    assert (first.gpu_use, first.gpu_memory_peak, first.memory_percent, first.cpu_percent) == (
        37.5,
        70.0,
        70.0,
        None,
    )
    assert (second.name, second.gpu_names, second.uuids, second.gpu_use) == ("node-2", "2 × GPU", [], 37.5)
    address = reverse("metrics:run_hardware", args=[project.team.name, project.name, run.uid])
    page = client.get(address).content.decode()
    assert "GPU-b" in page
    assert "node-2" in page
    overview = reverse("runs:run_overview", args=[project.team.name, project.name, run.uid])
    assert address in client.get(overview).content.decode()


def test_an_overview_of_the_agents_run_reads_the_file(client, project):
    """RUN-40: without the SDK's own part of the config, the metadata file tells the facts."""
    client.force_login(make_member(project.team))
    run = RunFactory(project=project)
    add_run_file(run, METADATA, json.dumps(told("gpu-01", "GPU-a", python="3.12.1")).encode())
    page = client.get(
        reverse("runs:run_overview", args=[project.team.name, project.name, run.uid])
    ).content.decode()
    assert "3.12.1" in page
