"""ALR-5: a worker that is killed between sending and marking sends again, with the same id; mail is sent once."""

from collections.abc import Callable

import pytest

from alerts.tests.peers import http_peer
from tests.fakes.smtp import mail_server
from tests.installation import Installation
from tests.killing import work_until_killed

pytestmark = pytest.mark.processes

FILL = """
from alerts.outbox.routing import route_pending
from alerts.tests.peers import asks, ends, goes_to, webhook
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory
team = TeamFactory(admin=UserFactory(email="ada@example.com"))
goes_to(asks(team, "finished"), webhook(team, {url!r}))
ends(RunFactory(project=ProjectFactory(team=team)))
route_pending()
"""
SEND = """
print("working", flush=True)
from alerts.outbox.sending import send_due
send_due()
"""
SEND_AGAIN = """
import json
from django.utils import timezone
from accounts.mail import outbox
from alerts.models import Message
from alerts.outbox.sending import send_due
Message.objects.exclude(claimed_until=None).update(claimed_until=timezone.now())  # as if the lease had run out
send_due()
outbox.deliver_waiting()
print(json.dumps(dict(Message.objects.filter(user=None).values_list("state", "attempt_count"))))
"""


def test_a_worker_killed_before_it_marked_what_it_sent_sends_it_again(
    new_server: Callable[..., Installation],
) -> None:
    """ALR-5: at least once elsewhere, under one id; exactly once by mail."""
    with mail_server() as smtp, http_peer() as peer:
        peer.answers_after_s = 300.0
        server = new_server(
            RUNYARD_EMAIL_URL=f"smtp://127.0.0.1:{smtp.port}",
            RUNYARD_ALLOWED_NETWORKS="127.0.0.0/8",
            RUNYARD_ALERT_GATHER_S="0",
        )
        server.kill9("worker")  # what the test starts is the only one
        server.manage("shell", "--no-imports", "-c", FILL.format(url=peer.url))
        work_until_killed(server, SEND, 0, until=lambda: bool(peer.posts))
        peer.answers_after_s = 0.0
        assert server.manage("shell", "--no-imports", "-c", SEND_AGAIN) == {"sent": 2}
        assert len(peer.deliveries) == 2
        assert len(set(peer.deliveries)) == 1
        assert len(smtp.to("ada@example.com")) == 1
