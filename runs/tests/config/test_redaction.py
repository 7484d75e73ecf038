"""Values of config and metadata are removed after the fact, and stay removed whatever clients send again (wish 49)."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from access.models import AuditEntry
from common.errors import Invalid
from runs.bulk_actions.redaction import redact_runs
from runs.config.redaction import REDACTED, read_keys, redacted_config
from runs.files.services import delete_run_file, receive_run_file
from runs.ingest.posts import RunPost, apply_posts, lock_runs
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run, RunFile, RunHost
from storage.filesystem import path_of
from storage.models import ByteEntry
from storage.services import store_bytes
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, add_run_file, make_member

pytestmark = pytest.mark.django_db

SECRET = "hunter2-of-the-lab"
REMOTE = f"https://me:{SECRET}@example.com/a.git"
MACHINE = {
    "host": "node1", "args": ["--password", SECRET], "email": f"{SECRET}@example.com", "os": "Linux",
    "git": {"remote": REMOTE},
}  # fmt: skip
CONFIG = {
    "lr": {"value": 0.1}, "db": {"value": {"user": "me", "password": SECRET}}, "a.b": {"value": SECRET},
    "_wandb": {"value": {"cli_version": "0.31.0", "e": {"w": MACHINE}}},
}  # fmt: skip
KEYS = ["config.db.password", "config.a.b", "metadata.args", "metadata.email", "metadata.git"]


@pytest.fixture
def run():
    team = TeamFactory()
    run = RunFactory(
        project=ProjectFactory(team=team), user=make_member(team), config_text=json.dumps(CONFIG),
        git_remote=REMOTE,
    )  # fmt: skip
    add_run_file(run, "wandb-metadata.json", json.dumps(MACHINE).encode())
    add_run_file(run, "config.yaml", f"db:\n  value: {SECRET}\n".encode())
    add_run_file(run, "train.py", b"print(1)")
    return run


def _redact(run, by=None):
    return redact_runs(actor=actor(by or run.user), run_ids=[run.pk], keys=KEYS)


def _stored(run) -> str:
    """Return all that is stored of the run in the database and its files, as one text."""
    row = Run.objects.filter(pk=run.pk).values()[0]
    hosts = list(RunHost.objects.filter(run=run).values())
    files = [path_of(file.blob.location).read_text() for file in RunFile.objects.filter(run=run)]
    return "".join(map(str, [row, hosts, files]))


def test_values_are_gone_from_config_columns_hosts_and_files(run):
    assert SECRET in _stored(run)
    assert _redact(run).done == [run.uid]
    assert SECRET not in _stored(run)
    kept = Run.objects.get(pk=run.pk)
    assert kept.config_flat["db.password"] == kept.config_flat["a.b"] == REDACTED
    assert (kept.config_flat["lr"], kept.config_flat["db.user"]) == (0.1, "me")
    assert json.loads(kept.config_text)["_wandb"]["value"]["e"]["w"]["host"] == "node1"
    held = sum(ByteEntry.objects.filter(run_id=run.pk, category="file").values_list("delta_bytes", flat=True))
    assert held == sum(RunFile.objects.filter(run=run).values_list("size_bytes", flat=True))


def test_what_clients_send_again_is_redacted_too(run):
    """By a resumed SDK, its files, and the stream of the REST API."""
    _redact(run)
    fields = RunFields(config_text=json.dumps(CONFIG), git_remote=REMOTE)
    lifecycle.log_run(actor=actor(run.user), project=run.project, uid=run.uid, fields=fields)
    for name in ("wandb-metadata.json", "runyard-hosts/node2.json"):
        receive_run_file({"r": run.pk, "n": name}, store_bytes(json.dumps(MACHINE).encode()))
    receive_run_file({"r": run.pk, "n": "config.yaml"}, store_bytes(SECRET.encode()))
    config = {"db": {"password": SECRET}, "a.b": SECRET, "lr": 0.2}
    apply_posts([RunPost(run_id=run.pk, config=config)], lock_runs([run.pk]), timezone.now())
    assert SECRET not in _stored(run)
    assert Run.objects.get(pk=run.pk).config_flat["lr"] == 0.2


@pytest.mark.parametrize("is_shared", [False, True])
def test_the_bytes_that_were_redacted_are_erased_unless_another_run_has_them(
    run, is_shared, django_capture_on_commit_callbacks
):
    """At once, also those that the client sends again afterwards; and those of a deleted file."""
    if is_shared:
        add_run_file(RunFactory(), "wandb-metadata.json", json.dumps(MACHINE).encode())
    blobs = {file.name: file.blob for file in run.files.select_related("blob")}
    with django_capture_on_commit_callbacks(execute=True):
        _redact(run)
    with django_capture_on_commit_callbacks(execute=True):
        sent = store_bytes(f"token: {SECRET}".encode())
        receive_run_file({"r": run.pk, "n": "config.yaml"}, sent)
    with django_capture_on_commit_callbacks(execute=True):
        delete_run_file(actor=actor(run.user), file=run.files.get(name="train.py"))
    left = {name for name, blob in blobs.items() if path_of(blob.location).exists()}
    assert left == ({"wandb-metadata.json"} if is_shared else set())
    assert not path_of(sent.location).exists()
    assert all(path_of(file.blob.location).exists() for file in run.files.select_related("blob"))


def test_the_host_is_forgotten_where_it_is_redacted(run):
    redact_runs(actor=actor(run.user), run_ids=[run.pk], keys=["metadata.host"])
    receive_run_file({"r": run.pk, "n": "wandb-metadata.json"}, store_bytes(json.dumps(MACHINE).encode()))
    assert not RunHost.objects.filter(run=run).exists()
    assert "node1" not in _stored(run)


def test_archives_of_a_rewound_run_are_redacted_with_it(run):
    archive = RunFactory(project=run.project, user=run.user, config_text=json.dumps(CONFIG))
    Run.objects.filter(pk=archive.pk).update(archive_of=run)
    _redact(run)
    assert SECRET not in _stored(archive)


def test_who_may_delete_a_run_may_redact_it_and_the_audit_log_names_keys_alone(run, client):
    other = make_member(run.project.team)
    assert "permission" in _redact(run, by=other).refused[run.uid]
    assert SECRET in _stored(run)
    _redact(run)
    entry = AuditEntry.objects.get(action="run.redact")
    assert (entry.user, entry.after) == (run.user, {"keys": KEYS})


def test_the_page_offers_what_was_found_and_redacts_it(client, run):
    token = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
    Run.objects.filter(pk=run.pk).update(config_text=json.dumps({"hub": {"value": {"token": token}}}))
    names = [run.project.team.name, run.project.name, run.uid]
    client.force_login(run.user)
    page = client.get(reverse("runs:run_overview", args=names)).content.decode()
    assert ">config.hub.token</textarea>" in page
    reply = client.post(reverse("runs:run_redact", args=names), {"keys": "config.hub.token\n"})
    assert reply.status_code == 302
    assert token not in _stored(run)


@pytest.mark.parametrize("tab", ["runs:run_overview", "metrics:run_workspace", "runs:run_logs"])
def test_whoever_may_redact_a_run_is_offered_it_in_its_menu(client, run, tab):
    """Only the banner about secrets offered it: what no pattern finds could be redacted from the runs table alone."""
    url = reverse(tab, args=[run.project.team.name, run.project.name, run.uid])
    for person, times in ((run.user, 1), (make_member(run.project.team, Preset.VIEW_ONLY), 0)):
        client.force_login(person)
        page = client.get(url).content.decode()
        assert page.count('class="menu-item" data-opens="redact-dialog"') == times
        assert page.count('id="redact-dialog"') == times


@pytest.mark.parametrize("text", ["", "lr", "config.", "summary.loss", "config." + "x" * 600])
def test_keys_that_mean_nothing_are_refused(text):
    with pytest.raises(Invalid):
        read_keys([text])


def test_a_config_without_the_key_keeps_its_very_text():
    text = '{"lr": {"value": 1e-3},  "n": {"value": NaN}}'
    assert redacted_config(text, ["config.password"]) == text
