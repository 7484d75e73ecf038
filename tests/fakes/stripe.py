"""A Stripe: localstripe in a process of its own, and before it what it does not know of the API we speak.

localstripe is under the GPL, so it is a separate program in an environment of its own, and nothing of it is imported.
Before it stands a small proxy, which answers a repeated idempotency key as it answered the first time, takes parameters
of newer API versions, refuses amounts that are too small, keeps what was asked, and can be down, slow, or lose an
answer.

``python -m tests.fakes.stripe`` runs one for trying things out, and says how to start Runyard with it.
"""

import hashlib
import hmac
import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from tests import clients, environments
from tests.fakes.serving import FakeHandler, serving
from tests.ports import free_port
from tests.waiting import PATIENCE_S

REQUIREMENTS = Path(__file__).parent / "requirements-localstripe.txt"
SECRET_KEY, PUBLISHABLE_KEY, WEBHOOK_SECRET = "sk_test_runyard", "pk_test_runyard", "whsec_runyard"
GOOD_CARD, FAILING_CARD = "4242424242424242", "4000000000000341"
"""The second one can be added, and is declined whenever it is charged."""
ASKING_CARD = "4000002500003155"
"""Wants its holder's confirmation for each charge."""
REFUSED_CARD = "4000000000000002"
SMALLEST_CENTS = 50
_HOP_BY_HOP = {
    "connection",
    "content-length",
    "host",
    "transfer-encoding",
    "content-encoding",
    "accept-encoding",
}


@dataclass
class RecordedRequest:
    """One request that arrived."""

    method: str
    path: str
    body: dict[str, str]
    key: str
    """For idempotency."""
    version: str


@dataclass
class Stripe:
    """What it was asked; ``down``, ``slow_s`` and ``loses`` are how it behaves."""

    url: str
    asked: list[RecordedRequest] = field(default_factory=list)
    is_down: bool = False
    slow_s: float = 0.0
    loses: str = ""
    """A pattern of paths: what is asked there is done, and the answer never arrives; once for each time it is set."""
    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)

    @property
    def js_url(self) -> str:
        """Where its script for pages is."""
        return f"{self.url}/js.stripe.com/v3/"

    def call(self, method: str, path: str, **given: Any) -> dict[str, Any]:
        """Ask it something, as an operator in its dashboard."""
        answer = clients.request(method, self.url + path, auth=(SECRET_KEY, ""), **given)
        told: dict[str, Any] = answer.json()
        return told

    def confirm_card(self, client_secret: str, number: str = GOOD_CARD) -> dict[str, Any]:
        """Do what its script does in a browser: hand it a card. Returns the setup."""
        ref = client_secret.partition("_secret_")[0]
        card = {"number": number, "exp_month": "12", "exp_year": "2031", "cvc": "123"}
        body = {
            "key": PUBLISHABLE_KEY,
            "client_secret": client_secret,
            "payment_method_data": {"type": "card", "card": card},
        }
        answer = clients.request("POST", f"{self.url}/v1/setup_intents/{ref}/confirm", json=body)
        told: dict[str, Any] = answer.json()
        return told

    def listed(self, what: str) -> list[dict[str, Any]]:
        """Return all it has of something, such as ``payment_intents``."""
        found: list[dict[str, Any]] = self.call("GET", f"/v1/{what}", params={"limit": 100})["data"]
        return found

    @property
    def charged_cents(self) -> int:
        """All the money that it took."""
        return sum(row["amount"] for row in self.listed("payment_intents") if row["status"] == "succeeded")

    def tell(self, url: str) -> None:
        """Send every event there from now on."""
        hook = {"url": url, "secret": WEBHOOK_SECRET}
        clients.request("POST", f"{self.url}/_config/webhooks/test", json=hook).raise_for_status()


def signed(payload: bytes, *, at: float | None = None, secret: str = WEBHOOK_SECRET) -> str:
    """Return the header with which an event comes."""
    moment = int(time.time() if at is None else at)
    code = hmac.new(secret.encode(), b"%d.%s" % (moment, payload), hashlib.sha256).hexdigest()
    return f"t={moment},v1={code}"


def event(kind: str, about: str, ref: str = "evt_1") -> bytes:
    """Return an event's content."""
    told = {"id": ref, "object": "event", "type": kind, "data": {"object": {"id": about}}}
    return json.dumps(told).encode()


class _Server(ThreadingHTTPServer):
    stripe: Stripe
    behind: str
    lock: threading.Lock
    daemon_threads = True


class _Handler(FakeHandler):
    server: _Server

    def _pass_on(self) -> None:
        stripe = self.server.stripe
        content = self.body()
        form = "urlencoded" in self.headers.get("Content-Type", "")
        body = dict(parse_qsl(content.decode(), keep_blank_values=True)) if form else {}
        key = self.headers.get("Idempotency-Key", "")
        stripe.asked.append(
            RecordedRequest(self.command, self.path, body, key, self.headers.get("Stripe-Version", ""))
        )
        if stripe.is_down:
            self.close_connection = True
            return
        time.sleep(stripe.slow_s)
        with self.server.lock:  # of two with the same key, the second waits
            answer = (
                stripe.answers.get(key)
                or too_small(self.path, body)
                or self._ask(urlencode(older(self.path, body)).encode() if form else content)
            )
            if key:
                stripe.answers[key] = answer
        if stripe.loses and re.search(stripe.loses, self.path):
            stripe.loses = ""
            self.close_connection = True
            return
        status, headers, reply = answer
        own = {"server", "date"}
        self.answer(
            status, reply, {name: value for name, value in headers.items() if name.lower() not in own}
        )

    def do_GET(self) -> None:
        self._pass_on()

    def do_POST(self) -> None:
        self._pass_on()

    def do_DELETE(self) -> None:
        self._pass_on()

    def do_OPTIONS(self) -> None:
        self._pass_on()

    def _ask(self, content: bytes) -> tuple[int, dict[str, str], bytes]:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
        url = self.server.behind + self.path
        reply = clients.request(self.command, url, content=content, headers=headers)
        told = {name: value for name, value in reply.headers.items() if name.lower() not in _HOP_BY_HOP}
        return reply.status_code, told, reply.content


def too_small(path: str, body: dict[str, str]) -> tuple[int, dict[str, str], bytes] | None:
    """Return how Stripe refuses an amount below its smallest; None where it does not."""
    if not path.endswith("/v1/payment_intents") or int(body.get("amount", SMALLEST_CENTS)) >= SMALLEST_CENTS:
        return None
    error = {
        "type": "invalid_request_error", "code": "amount_too_small", "param": "amount",
        "message": "Amount must be at least $0.50 usd",
    }  # fmt: skip
    return 400, {"Content-Type": "application/json"}, json.dumps({"error": error}).encode()


def older(path: str, body: dict[str, str]) -> dict[str, str]:
    """Return a request in the words of the API that localstripe speaks.

    Lists of types were renamed in 2026; that a charge comes later is said when an intent is confirmed, too.
    """
    said = {
        re.sub(r"^allowed_payment_method_types\b.*$", "payment_method_types[]", name): value
        for name, value in body.items()
    }
    if path.endswith("/confirm"):
        said.pop("off_session", None)
    return said


@contextmanager
def stripe() -> Iterator[Stripe]:
    """Run one on this machine."""
    port = free_port()
    python = environments.python_of("fakes", "localstripe", REQUIREMENTS)
    command = [str(python), "-m", "localstripe", "--port", str(port), "--from-scratch"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.behind, server.lock = f"http://localhost:{port}", threading.Lock()
    server.stripe = Stripe(f"http://127.0.0.1:{server.server_port}")
    try:
        with serving(server):
            clients.wait_for_answer(f"{server.behind}/js.stripe.com/v3/")
            yield server.stripe
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)


def main() -> None:
    """Run one until it is interrupted."""
    with stripe() as running:
        known = {
            "RUNYARD_STRIPE_SECRET_KEY": SECRET_KEY,
            "RUNYARD_STRIPE_PUBLISHABLE_KEY": PUBLISHABLE_KEY,
            "RUNYARD_STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "RUNYARD_STRIPE_API_URL": running.url,
            "RUNYARD_STRIPE_JS_URL": running.js_url,
        }
        print(" ".join(f"{name}={value}" for name, value in known.items()), flush=True)  # noqa: T201 - a command
        threading.Event().wait()


if __name__ == "__main__":
    main()
