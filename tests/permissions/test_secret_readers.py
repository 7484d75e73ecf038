"""One rule says who reads secrets that were logged, on every surface (H1 of the review)."""

import json
from typing import Any

import httpx
import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from config.asgi import lean
from metrics.ingest.transaction import write_group
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run
from runs.query.conditions import to_q
from runs.query.mongo import read_filters
from runs.query.ordering import read_order
from runs.secrets.documents import masked_json
from runs.secrets.masking import MASK
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, actor, add_run_file, basic, make_key, make_member
from tests.streams import body_of
from wandb_api.file_stream.endpoint import read_post

pytestmark = pytest.mark.django_db

TOKEN = "hf_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
PASSWORD = "Hunter2isalongone"
SECRETS = (TOKEN, PASSWORD)


@pytest.fixture
def run() -> Run:
    """Return a public run of a member, with secrets wherever a script can put them."""
    project = ProjectFactory(visibility=Visibility.PUBLIC)
    owner = make_member(project.team)
    run: Run = RunFactory(project=project, user=owner)
    config = json.dumps(
        {"db_password": {"value": PASSWORD}, "hub": {"value": {"token": TOKEN}}, "lr": {"value": 1}}
    )
    lifecycle.update_run(
        actor=actor(owner),
        run=run,
        fields=RunFields(config_text=config, notes=f"with {TOKEN}", description=f"by {TOKEN}"),
    )
    row = {
        "_step": 0,
        "_timestamp": 1000.0,
        "_runtime": 0.0,
        "said": f"token {TOKEN}",
        "db_password": PASSWORD,
    }
    files = {
        "wandb-history.jsonl": {"offset": 0, "content": [json.dumps(row)]},
        "wandb-summary.json": {"offset": 0, "content": [json.dumps({"db_password": PASSWORD, "loss": 1})]},
        "output.log": {"offset": 0, "content": [f"2026-11-21T07:20:26.038634 login with {TOKEN}"]},
    }
    write_group([read_post(json.dumps({"files": files}).encode(), run.pk, "")])
    add_run_file(run, "config.yaml", f"db_password:\n  value: {PASSWORD}\nlr: 1\n".encode())
    add_run_file(
        run, "wandb-metadata.json", json.dumps({"args": ["--api-key", TOKEN], "os": "Linux"}).encode()
    )
    return run


GRAPHQL = """query Q($entity: String!, $project: String!, $run: String!) {
  project(name: $project, entityName: $entity) { runs { edges { node { notes } } } run(name: $run) {
    config summaryMetrics notes wandbConfig(keys: ["t"]) historyTail historyKeys
    history(samples: 10) pages: history(minStep: 0, maxStep: 10)
    sampledHistory(specs: ["{\\"keys\\": [\\"said\\", \\"db_password\\"]}"])
    logLines(first: 10) { edges { node { line } } } parquetHistory(liveKeys: ["_step"]) { parquetUrls }
    files { edges { node { name directUrl } } }
} } }"""


def _whole(reply: Any) -> str:
    if reply.status_code == 302:
        return fetched(reply.headers["Location"]).decode()
    assert reply.status_code == 200
    return (body_of(reply) if reply.streaming else bytes(reply.content)).decode()


def fetched(url: str) -> bytes:
    async def get() -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(lean), base_url="http://testserver"
        ) as client:
            return await client.get(url[url.index("/storage/") :])

    reply = async_to_sync(get)()
    assert reply.status_code == 200
    return bytes(reply.content)


def rest_of(run: Run, client: Client, **headers: str) -> dict[str, str]:
    """Return what REST and the pages' downloads answer, by address."""
    project, api = f"/{run.project.team.name}/{run.project.name}", f"/api/v1/runs/{run.pk}"
    listed = f"/api/v1/runs/?entity={run.project.team.name}&columns=config.db_password,config.hub.token,notes"
    paths = [
        f"{api}/", f"{api}/history/", f"{api}/history/?format=csv", f"{api}/logs/", f"{api}/logs/download/", listed,
        f"{api}/files/config.yaml/", f"{api}/files/wandb-metadata.json/",
    ]  # fmt: skip
    pages = [
        f"{project}/runs.csv", f"{project}/runs.jsonl", f"{project}/runs/{run.uid}/export/history.jsonl",
        f"{project}/runs/{run.uid}/export/history.csv", f"{project}/runs/{run.uid}/files/config.yaml",
        f"{project}/runs/{run.uid}/files/wandb-metadata.json",
    ]  # fmt: skip
    return {path: _whole(client.get(path, headers=headers)) for path in [*paths, *([] if headers else pages)]}


def graphql_of(run: Run, key: str) -> dict[str, str]:
    names = {"entity": run.project.team.name, "project": run.project.name, "run": run.uid}
    body = {"query": GRAPHQL, "variables": names}
    reply = Client().post(
        "/graphql", body, content_type="application/json", headers={"Authorization": basic(key)}
    )
    assert "errors" not in reply.json(), reply.content
    found = reply.json()["data"]["project"]["run"]
    for edge in found["files"]["edges"]:
        found[edge["node"]["name"]] = fetched(edge["node"]["directUrl"]).decode()
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items()}


def leaks(answers: dict[str, str]) -> list[str]:
    return [name for name, text in answers.items() if any(secret in text for secret in SECRETS)]


def test_nobody_without_a_key_reads_a_secret(run: Run, client: Client) -> None:
    answers = rest_of(run, client)
    assert leaks(answers) == []
    assert all(
        "••••" in text or "\\u2022" in text for name, text in answers.items() if "runs.csv" not in name
    )


def test_who_may_only_look_reads_none_by_any_program(run: Run) -> None:
    key = make_key(make_member(run.project.team, Preset.VIEW_ONLY))
    assert leaks(rest_of(run, Client(), Authorization=basic(key))) == []
    answers = graphql_of(run, key)
    assert leaks(answers) == []
    assert json.loads(answers["config"])["lr"] == {"value": 1}


def test_the_owners_sdk_reads_back_exactly_what_it_logged(run: Run) -> None:
    answers = graphql_of(run, make_key(run.user or User()))
    assert set(leaks(answers)) >= {
        "config", "summaryMetrics", "notes", "historyTail", "historyKeys", "history", "pages", "sampledHistory",
        "logLines", "config.yaml", "wandb-metadata.json",
    }  # fmt: skip
    assert answers["config"] == Run.objects.get(pk=run.pk).config_text


def test_who_resumes_a_run_with_the_mask_does_not_destroy_the_secret(run: Run) -> None:
    """Its key may log and not change: it reads the configuration masked, and sends all of it back with more."""
    given = json.loads(masked_json(Run.objects.get(pk=run.pk).config_text))
    assert given["db_password"]["value"] == MASK
    sent = json.dumps({**given, "lr": {"value": 2}, "more": {"value": MASK}})
    lifecycle.update_run(actor=SYSTEM, run=run, fields=RunFields(config_text=sent))
    kept = json.loads(Run.objects.get(pk=run.pk).config_text)
    assert kept == {
        "db_password": {"value": PASSWORD}, "hub": {"value": {"token": TOKEN}}, "lr": {"value": 2},
        "more": {"value": MASK},
    }  # fmt: skip


@pytest.mark.parametrize("text", [PASSWORD, PASSWORD[:4], TOKEN])
def test_no_filter_finds_out_a_secret(run: Run, client: Client, text: str) -> None:
    """By an expression or the SDK's form, of whoever asks: not even the owner's."""
    for path in ("config.db_password", "config.hub.token", "summary.db_password", "notes", "description"):
        given = {"entity": run.project.team.name, "filter": f'{path} contains "{text}"'}
        assert client.get("/api/v1/runs/", given).json()["results"] == []
    for key in (
        "config.db_password",
        "config.hub.token",
        "summary_metrics.db_password",
        "notes",
        "description",
    ):
        condition = to_q(read_filters(json.dumps({key: {"$regex": text}})))
        assert not Run.objects.filter(condition).exists()
    for met in ("config.lr = 1", 'notes contains "with hf_"', 'description matches "^by "'):
        given = {"entity": run.project.team.name, "filter": met}
        assert client.get("/api/v1/runs/", given).json()["results"]


@pytest.mark.parametrize("name", ["notes", "description"])
def test_no_order_and_no_group_finds_out_a_secret(run: Run, client: Client, name: str) -> None:
    """Of the same notes but for the secret, neither is first; no group of a table names one."""
    rows: list[Run] = [run, *RunFactory.create_batch(2, project=run.project, user=run.user)]
    for row, token in zip(rows, (TOKEN, TOKEN.replace("hf_aB3d", "hf_aB3z"), TOKEN), strict=True):
        given: Any = {name: f"with {token}"}
        lifecycle.update_run(actor=SYSTEM, run=row, fields=RunFields(**given))
    listed = Run.objects.order_by(*read_order(f"+{name}"), "pk").values_list("pk", flat=True)
    assert list(listed) == [row.pk for row in rows]
    table = f"/{run.project.team.name}/{run.project.name}/runs"
    page = client.get(table, {"group": name}).content.decode()
    assert "••••" in page
    assert TOKEN not in page


def test_notes_without_a_secret_are_found_again_once_it_is_gone(run: Run, client: Client) -> None:
    lifecycle.update_run(actor=SYSTEM, run=run, fields=RunFields(notes="a plain note"))
    given = {"entity": run.project.team.name, "filter": 'notes = "a plain note"'}
    assert len(client.get("/api/v1/runs/", given).json()["results"]) == 1


def test_a_long_text_file_is_masked_in_pieces(run: Run) -> None:
    """Whatever its size and encoding: keys that lie over the end of a piece, lines of megabytes, other bytes kept."""
    key = (
        "-----BEGIN PRIVATE KEY-----\n"
        + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 20
        + "-----END PRIVATE KEY-----\n"
    )
    text = "x" * 79 + "\n"
    content = (text * 13107 + key + text * 20000 + f"token={TOKEN}\n" + "caf\xe9 " * 300_000 + TOKEN).encode(
        "latin-1"
    )
    add_run_file(run, "long.txt", content)
    url = (
        Client()
        .get(f"/{run.project.team.name}/{run.project.name}/runs/{run.uid}/files/long.txt")
        .headers["Location"]
    )
    masked = fetched(url)
    assert TOKEN.encode() not in masked
    assert b"MIIEvQ" not in masked
    assert masked.count(b"caf\xe9") == 300_000
