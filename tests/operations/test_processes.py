"""The production command lines, from outside."""

import http.client
import statistics
import time

import pytest

from tests import sdks
from tests.waiting import PATIENCE_S

DELAYED_ACK_S = 0.040
"""What a kept-alive reply waits for when its socket lacks TCP_NODELAY (seen with several web processes)."""
QUICK_ACKS = 30
"""The kernel acknowledges the first packets of a connection at once, whatever the socket's options."""


def fastest_kept_alive(port: int, count: int = 100) -> float:
    """Return the 10th percentile: a busy machine makes some replies slow, a missing option makes all of them."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        link.request("GET", "/healthz")
        assert link.getresponse().read()
        times.append(time.perf_counter() - begin)
    link.close()
    return statistics.quantiles(times[QUICK_ACKS:], n=10)[0]


def test_kept_alive_replies_do_not_wait_for_an_acknowledgement(server):
    assert fastest_kept_alive(server.port) < DELAYED_ACK_S / 2


def test_several_web_processes_do_not_make_them_wait_either(new_server):
    server = new_server(WEB_CONCURRENCY="2")
    assert fastest_kept_alive(server.port) < DELAYED_ACK_S / 2


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_killed_process_comes_back_beside_the_others(server, name):
    other = {"web": "worker", "worker": "web"}[name]
    before, untouched = server.pid(name), server.pid(other)
    server.kill9(name)
    server.start()
    assert server.pid(name) != before
    assert server.pid(other) == untouched


def test_commands_beside_the_server_use_its_database(server):
    made = server.manage("create_user", "processes-ada", "--email", "processes-ada@example.com")
    again = server.manage("create_user", "processes-ada", "--email", "processes-ada@example.com")
    assert (made["created"], again["created"]) == (True, False)


def test_logs_do_not_have_a_line_for_every_request(server):
    server.get("/healthz")
    assert "GET /healthz" not in server.log("web")


@pytest.mark.browser
def test_a_browser_reaches_the_server(server, page):
    page.goto(f"{server.url}/healthz")
    assert page.inner_text("body") == '{"status": "ok"}'


@pytest.mark.sdk
@pytest.mark.parametrize("version", sdks.newest())
def test_every_release_of_the_sdk_imports(sdk, run_script, version):
    code = "import numpy, PIL, wandb; print(wandb.__version__)"
    assert run_script(sdk(version), code, {}).stdout.strip() == version


@pytest.mark.parametrize("path", ["/healthz", "/ready?parts=database"])
def test_probes_are_answered_by_whatever_address(server, path):
    """Load balancers, Kubernetes and Prometheus ask by the address of a host or pod; pages do not answer to it."""
    elsewhere = {"Host": "10.1.2.3:8000"}
    assert server.get(path, elsewhere)[0] == 200
    assert server.get("/login", elsewhere)[0] == 400
