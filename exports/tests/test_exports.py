"""Everything a team owns as one archive (TEAM-12)."""

import io
import json
import zipfile
from base64 import b64decode
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from alerts.models import Destination, Secret
from alerts.preferences.services import add_route, change_settings
from alerts.tests.places import a_place
from artifacts.lineage.services import use_version
from artifacts.registries import members as registry_members
from artifacts.registries import services as registries
from artifacts.tests.factories import make_version
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from automations.models import Automation
from common.errors import Conflict, Forbidden, NotFound, Unavailable
from exports import services
from exports.models import Export, ExportState
from exports.tasks import make_exports
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import history, post
from runs.lifecycle.alerts import send_alert
from runs.models import Project
from storage.filesystem import path_of
from storage.services import record_bytes, sweep
from sweeps.agents.services import answer_heartbeat, register_agent
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.services import create_sweep
from teams.models import Visibility
from tests.factories import (
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    add_run_file,
    make_member,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_store(tmp_path, settings):
    settings.BLOB_ROOT = tmp_path / "blobs"
    settings.SEGMENT_ROOT = tmp_path / "segments"


@pytest.fixture
def team():
    return TeamFactory(name="vision")


@pytest.fixture
def admin(team):
    return make_member(team, Preset.ADMIN)


def opened(export):
    assert export.blob is not None, export.error
    return zipfile.ZipFile(io.BytesIO(path_of(export.blob.location).read_bytes()))


def made(who, team):
    """Ask for an archive, let the worker make it, and open it."""
    export = services.request_export(actor=actor(who), team=team)
    make_exports()
    export.refresh_from_db()
    return export, opened(export)


def lines(archive, name):
    return [json.loads(line) for line in archive.read(name).decode().splitlines()]


def test_the_archive_holds_all_of_a_run_exactly(team, admin):
    project = ProjectFactory(team=team, name="cifar")
    run = RunFactory(project=project, user=admin, config_text='{"lr": {"value": NaN}}', tags=["best", "日本"])
    system = (0, [{"_timestamp": 1000.0, "system.cpu": 1.5}])
    sent = history(0, 5)
    write_group(
        [
            post(
                run,
                history=(0, sent),
                system=system,
                log=(0, ["2026-11-22T01:00:00 hello"]),
                summary='{"a": Infinity}',
            )
        ]
    )
    add_run_file(run, "media/a.txt", b"\x00bytes")
    send_alert(actor=SYSTEM, run=run, title="loss is NaN", text="", level="WARN", wait=timedelta())
    _export, archive = made(admin, team)
    place = f"projects/cifar/runs/{run.pk}"
    about = json.loads(archive.read(f"{place}/run.json"))
    assert (about["user"], about["tags"]) == (admin.username, ["best", "日本"])
    assert [alert["title"] for alert in about["alerts"]] == ["loss is NaN"]
    assert archive.read(f"{place}/config.json").decode() == '{"lr": {"value": "NaN"}}'
    assert archive.read(f"{place}/summary.json").decode() == '{"a": "Infinity"}'
    assert lines(archive, f"{place}/history.jsonl") == sent
    assert [row["system.cpu"] for row in lines(archive, f"{place}/system.jsonl")] == [1.5]
    assert "hello" in archive.read(f"{place}/output.log").decode()
    assert archive.read(f"{place}/files/media/a.txt") == b"\x00bytes"
    assert archive.testzip() is None


def test_the_archive_holds_sweeps_with_their_agents_and_trials(team, admin):
    """TEAM-12, RUN-50: the configuration is as it was sent; runs name their sweep."""
    project = ProjectFactory(team=team, name="cifar")
    text = "# by hand\nname: night\nmethod: grid\nparameters: {lr: {values: [0.1]}}\n"
    sweep, _warnings = create_sweep(actor=actor(admin), project=project, config_text=text)
    agent = register_agent(actor=actor(admin), sweep=sweep, host="gpu-1")
    answer_heartbeat(agent, set())
    run = RunFactory(project=project, uid=sweep.trials.get().run_uid, sweep=sweep.uid)
    gone, _warnings = create_sweep(actor=SYSTEM, project=project, config_text=text)
    delete_sweep(actor=SYSTEM, sweep=gone)
    _export, archive = made(admin, team)
    place = f"projects/cifar/sweeps/{sweep.uid}"
    [about] = lines(archive, "projects/cifar/sweeps.jsonl")
    assert (about["uid"], about["display_name"], about["created_by"]) == (sweep.uid, "night", admin.username)
    assert archive.read(f"{place}/config.yaml").decode() == text
    [told] = lines(archive, f"{place}/agents.jsonl")
    assert (told["host"], told["user"]) == ("gpu-1", admin.username)
    [trial] = lines(archive, f"{place}/trials.jsonl")
    assert (trial["args"], trial["run_uid"], trial["agent"]) == ({"lr": 0.1}, run.uid, agent.uid)
    about_run = json.loads(archive.read(f"projects/cifar/runs/{run.pk}/run.json"))
    assert about_run["sweep"] == sweep.uid


def test_the_archive_holds_artifacts_with_each_content_once(team, admin):
    """TEAM-12: what a version consists of can be put together again, and its lineage read."""
    project = ProjectFactory(team=team, name="cifar")
    run = RunFactory(project=project, uid="trainer")
    same = {"a.txt": b"same"}
    given = {"run": run, "metadata": {"loss": 0.5}, "aliases": ["best"], "tags": ["good"]}
    first = make_version(project, "data", same, **given)
    make_version(project, "data", same | {"deep/b.txt": b"other"}, references={"c": "s3://b/c"})
    delete_version(actor=SYSTEM, version=make_version(project, "gone", {"g": b"gone"}), with_aliases=True)
    use_version(actor=SYSTEM, run=RunFactory(project=project, uid="user"), version=first)
    link_version(actor=SYSTEM, version=first, project=project, name="released", aliases=["prod"])
    place = "projects/cifar/artifacts"
    _export, archive = made(admin, team)
    contents = [name for name in archive.namelist() if name.startswith(f"{place}/content/")]
    assert sorted(archive.read(name) for name in contents) == [b"other", b"same"]
    collections = lines(archive, f"{place}/collections.jsonl")
    assert [(row["name"], row["kind"]) for row in collections] == [
        ("data", "sequence"), ("gone", "sequence"), ("released", "portfolio"),
    ]  # fmt: skip
    told, _second = lines(archive, f"{place}/versions.jsonl")
    assert (told["name"], told["aliases"], told["tags"]) == ("data:v0", ["best"], ["good"])
    assert json.loads(told["metadata"]) == {"loss": 0.5}
    assert (told["logged_by"], told["used_by"]) == (["vision/cifar/trainer"], ["vision/cifar/user"])
    [link] = lines(archive, f"{place}/links.jsonl")
    assert (link["name"], link["version"]) == ("released:v0", "vision/cifar/data:v0")
    assert sorted(link["aliases"]) == ["latest", "prod"]
    manifest = json.loads(archive.read(f"{place}/manifests/{first.pk}.json"))
    digest = b64decode(manifest["contents"]["a.txt"]["digest"]).hex()
    assert archive.read(f"{place}/content/{digest}") == b"same"
    assert "artifacts/manifests/ID.json" in archive.read("README.md").decode()


def test_the_archive_holds_the_registries_that_concern_the_team(team, admin):
    """ART-5: its own model registry, and of the organization's what links its versions, to who sees it."""
    own = registries.ensure_model_registry(actor=SYSTEM, team=team)
    version = make_version(ProjectFactory(team=team, name="cifar"), "data")
    other = make_version(ProjectFactory(team=TeamFactory(organization=team.organization)), "theirs")
    link_version(actor=SYSTEM, version=version, project=own.project, name="best", aliases=["prod"])
    for name, role in (("seen", "viewer"), ("closed", ""), ("empty", "viewer")):
        row = registries.create_registry(
            actor=SYSTEM,
            organization=team.organization,
            name=name,
            everyone_role=role,
            types=["dataset", "model"],
        )
        for one in [other] if name == "empty" else [version, other]:
            link_version(actor=SYSTEM, version=one, project=row.project, name=f"of-{one.collection.name}")
    registry_members.add_members(actor=SYSTEM, registry=own, users=[admin], role="admin")
    _export, archive = made(admin, team)
    organization = team.organization.name
    found = {name.rpartition("/")[0] for name in archive.namelist() if name.startswith("registries/")}
    assert found == {"registries/vision/model-registry", f"registries/{organization}/seen"}
    about = json.loads(archive.read("registries/vision/model-registry/registry.json"))
    assert about["members"] == [{"username": admin.username, "team": None, "role": "admin"}]
    assert about["types"] is None
    [link] = lines(archive, "registries/vision/model-registry/links.jsonl")
    assert (link["name"], link["version"]) == ("best:v0", "vision/cifar/data:v0")
    place = f"registries/{organization}/seen"
    assert json.loads(archive.read(f"{place}/registry.json"))["types"] == ["dataset", "model"]
    assert [row["name"] for row in lines(archive, f"{place}/collections.jsonl")] == ["of-data"]
    assert [row["name"] for row in lines(archive, f"{place}/links.jsonl")] == ["of-data:v0"]


def test_more_versions_take_no_more_statements(team, admin, django_assert_max_num_queries):
    project = ProjectFactory(team=team, name="cifar")
    for number in range(8):
        make_version(project, "data", {"n": str(number).encode()}, tags=["t"], aliases=[f"a{number}"])
    export = services.request_export(actor=actor(admin), team=team)
    with django_assert_max_num_queries(60):
        make_exports()
    export.refresh_from_db()
    assert len(lines(opened(export), "projects/cifar/artifacts/versions.jsonl")) == 8


def test_a_linked_version_of_a_project_that_one_may_not_see_is_not_named(team, admin):
    project, hidden = (ProjectFactory(team=team, name=name) for name in ("shown", "hidden"))
    link_version(actor=SYSTEM, version=make_version(hidden, "secret"), project=project, name="released")
    Project.objects.filter(pk=hidden.pk).update(visibility=Visibility.RESTRICTED)
    _export, archive = made(make_member(team, Preset.ADMIN), team)
    [link] = lines(archive, "projects/shown/artifacts/links.jsonl")
    assert link["version"] is None


def test_the_archive_says_who_belongs_to_the_team_and_documents_itself(team, admin):
    ServiceAccountFactory(team=team, label="nightly")
    _export, archive = made(admin, team)
    members = {row["username"]: row["role"] for row in lines(archive, "members.jsonl")}
    assert members[admin.username] == "Admin"
    assert members["vision.nightly"] == "Member"
    readme = archive.read("README.md").decode()
    assert "history.jsonl" in readme
    assert json.loads(archive.read("team.json"))["name"] == "vision"


def test_the_archive_tells_alerts_but_no_address_and_no_secret(team, admin):
    """TEAM-12, ALR-7: what it would take to post somewhere is not handed out."""
    place = a_place(team, "#vision")
    Destination.objects.filter(pk=place.pk).update(sealed_url="sealed-address", signing_secret_name="token")
    Secret.objects.create(team=team, name="token", sealed="sealed-value")
    change_settings(actor=actor(admin), team=team, on_crashed=True)
    add_route(actor=actor(admin), team=team, destination=place, tag="nightly")
    Automation.objects.create(team=team, name="page me", event="RUN_STATE", action="NO_OP")
    hidden = ProjectFactory(team=team, visibility=Visibility.RESTRICTED)
    Automation.objects.create(team=team, project=hidden, name="hush", event="RUN_STATE", action="NO_OP")
    _export, archive = made(admin, team)
    told = json.loads(archive.read("alerts.json"))
    assert told["settings"]["on_crashed"] is True
    assert told["routes"] == [{"destination": "#vision", "project": None, "tag": "nightly"}]
    assert (told["destinations"][0]["name"], told["secrets"]) == ("#vision", ["token"])
    assert [row["name"] for row in lines(archive, "automations.jsonl")] == ["page me"]
    assert "sealed" not in archive.read("alerts.json").decode()


def test_every_path_in_the_archive_is_documented(team, admin):
    run = RunFactory(project=ProjectFactory(team=team))
    write_group([post(run, history=(0, history(0, 1)), log=(0, ["2026-11-22T01:00:00 hello"]))])
    add_run_file(run, "a.txt")
    _export, archive = made(admin, team)
    readme = archive.read("README.md").decode()
    for name in archive.namelist():
        last = "files/…" if "/files/" in name else name.rpartition("/")[2]
        assert name == "README.md" or last in readme


def test_restricted_projects_of_others_stay_out_and_are_named(team, admin, client):
    """TEAM-24: an export shows its asker nothing that the pages do not."""
    ProjectFactory(team=team, name="secret", visibility=Visibility.RESTRICTED)
    RunFactory(project=ProjectFactory(team=team, name="shared"))
    _export, archive = made(admin, team)
    assert not [name for name in archive.namelist() if "projects/secret/" in name]
    assert "secret" in archive.read("README.md").decode()
    client.force_login(admin)
    assert "secret" in client.get("/teams/vision/export").content.decode()


def test_only_admins_export_a_team(team):
    for preset in (Preset.MEMBER, Preset.VIEW_ONLY):
        with pytest.raises(Forbidden):
            services.request_export(actor=actor(make_member(team, preset)), team=team)
    with pytest.raises(NotFound):
        services.request_export(actor=actor(UserFactory()), team=team)


def test_an_archive_is_its_askers_alone(team, admin, client):
    export, _archive = made(admin, team)
    client.force_login(make_member(team, Preset.ADMIN))
    assert client.get(f"/exports/{export.pk}/download").status_code == 404
    client.force_login(admin)
    answer = client.get(f"/exports/{export.pk}/download")
    assert answer.status_code == 302
    assert answer.url.startswith("/storage/get/")


def test_who_is_no_longer_an_admin_downloads_nothing(team, admin, client):
    from teams.models import Membership
    from teams.roles.builtin import built_in

    export, _archive = made(admin, team)
    Membership.objects.filter(user=admin, team=team).update(role=built_in(Preset.MEMBER))
    client.force_login(admin)
    assert client.get(f"/exports/{export.pk}/download").status_code == 403


def test_one_is_made_at_a_time_and_one_asked_for_by_each(team, admin):
    services.request_export(actor=actor(admin), team=team)
    with pytest.raises(Conflict, match="in progress"):
        services.request_export(actor=actor(admin), team=team)
    assert services._claim() is not None
    services.request_export(actor=actor(make_member(team, Preset.ADMIN)), team=team)
    assert services._claim() is None


def test_one_whose_worker_was_killed_is_made_by_the_next(team, admin):
    export = services.request_export(actor=actor(admin), team=team)
    assert services._claim() == export
    with time_machine.travel(timezone.now() + services.SILENT + timedelta(seconds=1)):
        make_exports()
    export.refresh_from_db()
    assert (export.state, export.attempts) == (ExportState.DONE, 2)


def test_one_that_takes_the_server_down_is_given_up(team, admin):
    export = services.request_export(actor=actor(admin), team=team)
    for turn in range(services.MOST_ATTEMPTS):
        with time_machine.travel(timezone.now() + (turn + 1) * timedelta(minutes=6)):
            assert services._claim() == export
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        assert services._claim() is None
    export.refresh_from_db()
    assert export.state == ExportState.FAILED
    assert "stopped each time" in export.error


def test_a_canceled_one_stops_and_leaves_nothing_on_the_disk(team, admin, settings, monkeypatch):
    monkeypatch.setattr(services, "_SIGN_EVERY_S", 0.0)
    RunFactory(project=ProjectFactory(team=team))
    export = services.request_export(actor=actor(admin), team=team)
    claimed = services._claim()
    assert claimed is not None
    services.cancel_export(actor=actor(admin), export=export)
    with pytest.raises(services._CanceledError):
        services._make(claimed)
    assert [path for path in settings.BLOB_ROOT.rglob("*") if path.is_file()] == []


def test_a_missing_file_is_named_and_the_rest_is_there(team, admin):
    run = RunFactory(project=ProjectFactory(team=team, name="p"))
    path_of(add_run_file(run, "lost.txt", b"lost").blob.location).unlink()
    add_run_file(run, "there.txt", b"there")
    _export, archive = made(admin, team)
    assert archive.read("missing.txt").decode() == f"projects/p/runs/{run.pk}/files/lost.txt\n"
    assert archive.read(f"projects/p/runs/{run.pk}/files/there.txt") == b"there"


def test_no_path_in_an_archive_depends_on_an_id(team, admin):
    """RUN-1: an id may be `..` or longer than a file's name; a list says which folder is whose."""
    project = ProjectFactory(team=team, name="p")
    runs = {uid: RunFactory(project=project, uid=uid) for uid in ("..", "a\\..\\b", "🚀" * 128)}
    _export, archive = made(admin, team)
    assert all(".." not in name and "\\" not in name and len(name) < 100 for name in archive.namelist())
    folders = {line["uid"]: line["folder"] for line in lines(archive, "projects/p/runs.jsonl")}
    assert folders == {uid: f"runs/{run.pk}" for uid, run in runs.items()}
    for uid, folder in folders.items():
        assert json.loads(archive.read(f"projects/p/{folder}/run.json"))["uid"] == uid


def test_a_full_disk_is_told_before_anything_is_written(team, admin):
    record_bytes(team_id=team.pk, delta_bytes=2**60, category="file")
    with pytest.raises(Unavailable, match="MiB left"):
        services.request_export(actor=actor(admin), team=team)


def test_archives_expire_and_their_bytes_are_freed(team, admin):
    export, _archive = made(admin, team)
    location = export.blob.location
    with time_machine.travel(timezone.now() + services.KEPT + timedelta(days=2)):
        make_exports()
        sweep()
    export.refresh_from_db()
    assert (export.state, export.blob) == (ExportState.EXPIRED, None)
    assert not path_of(location).exists()


def test_a_person_exports_their_own_projects(client):
    """ACC-9: everything can be had before an account goes."""
    user = UserFactory()
    run = RunFactory(project=ProjectFactory(team=user.claim.team, name="mine"), user=user)
    client.force_login(user)
    client.post("/settings/export")
    make_exports()
    export = Export.objects.get()
    page = client.get("/settings/export").content.decode()
    assert f"/exports/{export.pk}/download" in page
    archive = opened(export)
    assert f"projects/mine/runs/{run.pk}/run.json" in archive.namelist()


def test_the_page_follows_an_export_until_it_ends(client, team, admin):
    client.force_login(admin)
    services.request_export(actor=actor(admin), team=team)
    waiting = client.get("/teams/vision/export", headers={"HX-Request": "true"}).content.decode()
    assert "every 2s" in waiting
    make_exports()
    done = client.get("/teams/vision/export", headers={"HX-Request": "true"}).content.decode()
    assert "every 2s" not in done
    assert "<html" not in done
