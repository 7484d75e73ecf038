"""Two hosts of one installation: each with its own data folder, web and worker; database, Redis and bucket in common.

Nothing is kept on a host that another one needs, so a proxy may send each request anywhere (no sticky sessions).
"""

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from config.env import ROOT
from tests import clients
from tests.databases import GIVEN
from tests.environments import python_of
from tests.fakes.buckets import BucketServer
from tests.fixtures import installed
from tests.installation import Installation
from tests.killing import Writer, wait_for_posts
from tests.ports import free_port
from tests.sdk.people import Person, person, signed_in
from tests.sdk.wire import Run, Wire, history, row
from tests.served import stored
from tests.stored import longest_tail, look
from tests.waiting import PATIENCE_S, until

pytestmark = [
    pytest.mark.races,
    pytest.mark.processes,
    pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="several hosts need PostgreSQL"),
]

WRITERS = 3
SHORT = 16
"""Rows that an impatient worker leaves in a tail (`tests.impatient`)."""
KEY = "the same on both hosts, and longer than 32 characters"
RATE = 20
PASSWORD = "correct horse battery"
CREATE = """mutation C($entity: String!, $project: String!, $run: String!, $files: [String!]!) {
  createRunFiles(input: {entityName: $entity, projectName: $project, runName: $run, files: $files}) {
    files { name uploadUrl } } }"""
FILE = """query F($entity: String!, $project: String!, $run: String!) {
  project(name: $project, entityName: $entity) { run(name: $run) {
    id files(names: ["a.txt"]) { edges { node { directUrl } } } } } }"""


SWITCH_OFF = """
from access.actor import SYSTEM
from accounts.lifecycle.services import set_active
from accounts.models import User
set_active(actor=SYSTEM, user=User.objects.get(username="{name}"), is_active=False)
"""


@dataclass
class Hosts:
    """The first one has made the database; the second one is only there."""

    first: Installation
    second: Installation

    def all(self) -> tuple[Installation, Installation]:
        """Return both."""
        return self.first, self.second


@pytest.fixture(scope="module")
def hosts(bucket_servers: Callable[[str], BucketServer]) -> Iterator[Hosts]:
    bucket = bucket_servers("moto").new_bucket()
    common: dict[str, Any] = {
        "RUNYARD_SECRET_KEY": KEY,
        "RUNYARD_STORAGE_URL": bucket.url,
        "RUNYARD_STORAGE_KEY": bucket.credentials["access_key"],
        "RUNYARD_STORAGE_SECRET": bucket.credentials["secret_key"],
        "RUNYARD_SEGMENTS": "bucket",
        "RUNYARD_API_RATE": str(RATE),
        "DJANGO_SETTINGS_MODULE": "config.settings.prod",
        "worker_app": "tests.impatient",
    }
    with installed(**common) as first, installed(**common, beside=first) as second:
        yield Hosts(first, second)


class AnyHost:
    """Sends each request to another host, as a proxy does, and to the next one where nobody answers."""

    def __init__(self, hosts: Hosts, key: str, chance: random.Random) -> None:
        self._clients = [Wire(host.url, key).http for host in hosts.all()]
        self._chance = chance

    def post(self, path: str, **options: Any) -> httpx.Response:
        """Send it."""
        return self._chance.choice(self._clients).post(path, **options)

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            client.close()


def test_no_row_is_lost_or_doubled_while_each_process_is_killed_in_turn(hosts: Hosts) -> None:
    """RUN-8: a run's posts meet both hosts, and are packed by both workers."""
    with person(hosts.first, "hosts-ada") as ada:
        runs = [ada.wire.begin("hosts") for _ in range(WRITERS)]
        writers = []
        for seed, run in enumerate(runs):
            writer = Writer(Wire(hosts.first.url, ada.key), run, seed)
            writer.wire.http.close()
            writer.wire.http = AnyHost(hosts, ada.key, random.Random(seed))  # type: ignore[assignment] # all it asks
            writers.append(writer)
        for writer in writers:
            writer.start()
        for name in ("web", "worker"):
            for host in hosts.all():
                host.kill9(name)
                wait_for_posts(writers)
                host.start()
        for writer in writers:
            writer.finish()
        until(lambda: longest_tail(hosts.first.manage) < SHORT, "all packed")
        for host in hosts.all():
            host.kill9("worker")
        found = look(hosts.second.manage, [writer.expected for writer in writers])
        for host in hosts.all():
            host.start()
        histories = [stored(hosts.second.url, ada.key, run)["history"] for run in runs]
        rows = [[json.loads(line)["_step"] for line in lines] for lines in histories]
    assert [writer.refused for writer in writers] == [[]] * WRITERS
    assert (found.wrong, found.unreadable, found.orphans) == ([], [], 0)
    assert found.segments > 0
    assert rows == [list(range(writer.expected.rows)) for writer in writers]


@contextmanager
def proxy(hosts: Hosts, folder: Path) -> Iterator[str]:
    """Put Caddy before both hosts, with the same rules as in `deploy/compose/Caddyfile`; give its address."""
    port = free_port()
    shipped = (ROOT / "deploy" / "compose" / "Caddyfile").read_text()
    rules = (
        shipped[shipped.index("lb_policy") : shipped.index("# The bucket")]
        .rpartition("}")[0]
        .rpartition("}")[0]
    )
    to = " ".join(f"127.0.0.1:{host.port}" for host in hosts.all())
    file = folder / "Caddyfile"
    file.write_text(
        f"{{\n admin off\n}}\nhttp://:{port} {{\n bind 127.0.0.1\n reverse_proxy {to} {{\n{rules}}}\n}}\n"
    )
    caddy = python_of("deploy", "tools", ROOT / "deploy" / "requirements-tools.txt").parent / "caddy"
    command = [str(caddy), "run", "--adapter", "caddyfile", "--config", str(file)]
    env = {"PATH": os.defpath, "HOME": str(folder)}
    with (folder / "caddy.log").open("w") as log:
        process = subprocess.Popen(command, env=env, stderr=log)
    try:
        clients.wait_for_answer(f"http://127.0.0.1:{port}/healthz")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def test_no_post_is_refused_while_each_host_is_restarted_in_turn(hosts: Hosts, tmp_path: Path) -> None:
    """Behind a proxy: one that ends takes what is on its way, and the next request goes to the other one."""
    with proxy(hosts, tmp_path) as url, person(hosts.first, "hosts-bob") as bob:
        runs = [bob.wire.begin("rolling") for _ in range(WRITERS)]
        writers = [Writer(Wire(url, bob.key), run, seed, is_patient=True) for seed, run in enumerate(runs)]
        for writer in writers:
            writer.start()
        for host in hosts.all():
            wait_for_posts(writers)
            host.restart("web")
        wait_for_posts(writers)
        for writer in writers:
            writer.finish()
    assert [(writer.refused, writer.sent_again) for writer in writers] == [([], 0)] * WRITERS


class TestNoHostIsNeeded:
    """Between two requests the host that answered the first one is taken away."""

    @pytest.fixture
    def ada(self, hosts: Hosts) -> Iterator[Person]:
        with person(hosts.first, "hosts-eve", "--password", PASSWORD) as somebody:
            yield somebody

    @pytest.fixture
    def elsewhere(self, hosts: Hosts, ada: Person) -> Iterator[Wire]:
        wire = Wire(hosts.second.url, ada.key)
        yield wire
        wire.http.close()

    def test_everything_goes_on_elsewhere(self, hosts: Hosts, ada: Person, elsewhere: Wire) -> None:
        run = ada.wire.begin("moving")
        self.sign_in_is_known(hosts, ada)
        self.pages_are_told(hosts, ada, run, elsewhere)
        self.an_upload_goes_on(hosts, ada, run, elsewhere)
        self.rates_are_counted_together(hosts, ada)
        self.a_right_that_is_withdrawn_is_gone_everywhere(hosts, ada, run, elsewhere)

    def sign_in_is_known(self, hosts: Hosts, ada: Person) -> None:
        with signed_in(hosts.first, ada.name, PASSWORD) as browser:
            found = browser.cookies[hosts.first.cookie("session")]
            self.cookie = "; ".join(
                f"{host.cookie('session')}={found}" for host in (hosts.first, hosts.second)
            )
        page = clients.request(
            "GET", f"{hosts.second.url}/{ada.name}/moving", headers={"Cookie": self.cookie}
        )
        assert page.status_code == 200

    def pages_are_told(self, hosts: Hosts, ada: Person, run: Run, elsewhere: Wire) -> None:
        """A page is open at one host, and the run logs to the other."""
        number = hosts.first.manage(
            "shell",
            "--no-imports",
            "-c",
            "from runs.models import Run; print(Run.objects.get(project__name='moving').pk)",
        )
        address = hosts.first.url.replace("http", "ws") + f"/ws/runs/{number}"
        with connect(
            address, additional_headers={"Cookie": self.cookie}, origin=Origin(hosts.first.url)
        ) as socket:
            assert elsewhere.post(run, history(0, row(0))).status_code == 200
            assert json.loads(socket.recv(timeout=PATIENCE_S))

    def an_upload_goes_on(self, hosts: Hosts, ada: Person, run: Run, elsewhere: Wire) -> None:
        """One host gives the ticket, the other takes the bytes; both give them back."""
        where = {"entity": run.entity, "project": run.project, "run": run.uid}
        made = ada.wire.data(CREATE, **where, files=["a.txt"])
        path = made["createRunFiles"]["files"][0]["uploadUrl"].partition("/storage/")[2]
        clients.request("PUT", f"{hosts.second.url}/storage/{path}", content=b"content").raise_for_status()
        for wire in (ada.wire, elsewhere):
            [edge] = wire.data(FILE, **where)["project"]["run"]["files"]["edges"]
            got = wire.http.get(
                edge["node"]["directUrl"].replace(hosts.first.url, str(wire.http.base_url).rstrip("/")),
                follow_redirects=True,
            )
            assert got.content == b"content"

    def rates_are_counted_together(self, hosts: Hosts, ada: Person) -> None:
        asked = cycle(f"{host.url}/api/v1/projects" for host in hosts.all())
        statuses = [
            clients.request("GET", next(asked), auth=("api", ada.key)).status_code for _ in range(RATE + 1)
        ]
        assert statuses == [200] * RATE + [429]

    def a_right_that_is_withdrawn_is_gone_everywhere(
        self, hosts: Hosts, ada: Person, run: Run, elsewhere: Wire
    ) -> None:
        """At the next request, not after a while."""
        assert elsewhere.post(run, history(1, row(1))).status_code == 200
        hosts.first.manage("shell", "--no-imports", "-c", SWITCH_OFF.format(name=ada.name))
        assert elsewhere.post(run, history(2, row(2))).status_code in (401, 403)
        page = clients.request(
            "GET", f"{hosts.second.url}/{ada.name}/moving", headers={"Cookie": self.cookie}
        )
        assert page.status_code != 200
