"""How mail leaves: by a real SMTP server, after the commit, again when it failed; or into the outbox."""

import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db import transaction
from django.test import Client
from django.utils import timezone

from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.api_keys import services
from accounts.mail import outbox, sending
from accounts.models import OutboxMail
from tests.factories import ServiceAccountFactory, TeamFactory, UserFactory, actor
from tests.fakes.smtp import MailServer, html_of, mail_server, text_of

pytestmark = pytest.mark.django_db

KEY = "accounts/email/key_created"


@pytest.fixture
def smtp(settings) -> Iterator[MailServer]:
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server


def _send(user=None, **context: str) -> None:
    sending.send(KEY, user or UserFactory(email="ada@example.com"), context or {"prefix": "ry-abc"})


class TestSending:
    def test_a_mail_arrives_as_text_and_html(self, smtp: MailServer):
        _send()
        outbox.deliver_waiting()
        (mail,) = smtp.to("ada@example.com")
        assert mail["Subject"] == "An API key was created"
        assert mail["From"] == "Runyard <runyard@localhost>"
        assert "See your API keys:\nhttp://localhost:8000/settings/api-keys" in text_of(mail)
        assert 'href="http://localhost:8000/settings/api-keys"' in html_of(mail)
        assert not OutboxMail.objects.exists()

    def test_nothing_leaves_before_the_commit(self, smtp: MailServer, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            _send()
            assert smtp.mails == []
        assert len(smtp.mails) == 1

    def test_what_is_undone_is_not_told(self, smtp: MailServer):
        user = UserFactory()
        with transaction.atomic():
            _send(user)
            transaction.set_rollback(True)
        outbox.deliver_waiting()
        assert smtp.mails == []

    def test_a_refused_mail_waits_and_is_sent_later(self, smtp: MailServer):
        smtp.refuses = "451 come back later"
        _send()
        outbox.deliver_waiting()
        waiting = OutboxMail.objects.get()
        assert "come back later" in waiting.error
        smtp.refuses = ""
        outbox.deliver_waiting()
        assert smtp.mails == []  # not at once
        with time_machine.travel(timezone.now() + timedelta(minutes=3)):
            outbox.deliver_waiting()
        assert len(smtp.mails) == 1

    def test_mails_to_an_address_arrive_in_the_order_they_were_written(self, smtp: MailServer):
        """BIL-6: 85 % before 100 %, also when the first is not taken at once; other addresses wait for nobody."""
        ada, bob = UserFactory(email="ada@example.com"), UserFactory(email="bob@example.com")
        smtp.refuses = "451 come back later"
        _send(ada, prefix="ry-first")
        outbox.deliver_waiting()
        smtp.refuses = ""
        _send(ada, prefix="ry-second")
        _send(bob, prefix="ry-other")
        outbox.deliver_to("ada@example.com")
        outbox.deliver_waiting()
        assert [mail["To"] for mail in smtp.mails] == ["bob@example.com"]
        with time_machine.travel(timezone.now() + timedelta(minutes=3)):
            outbox.deliver_to("ada@example.com")
        prefixes = ["ry-first" in text_of(mail) for mail in smtp.to("ada@example.com")]
        assert prefixes == [True, False]

    def test_one_being_sent_elsewhere_holds_up_those_that_follow(self, smtp: MailServer):
        """BIL-6: four threads of the worker send mail; whoever sends the first goes on with the next."""
        user = UserFactory(email="ada@example.com")
        for prefix in ("ry-first", "ry-second"):
            _send(user, prefix=prefix)
        first = OutboxMail.objects.earliest("pk")
        OutboxMail.objects.filter(pk=first.pk).update(try_at=timezone.now() + outbox.LEASE)
        outbox.deliver_to("ada@example.com")
        assert smtp.mails == []
        OutboxMail.objects.filter(pk=first.pk).delete()  # it was sent there
        outbox.deliver_to("ada@example.com")
        assert len(smtp.mails) == 1

    @pytest.mark.parametrize(("answer", "after"), [("550 no such mail", 0), ("451 later", 61)])
    def test_one_that_cannot_be_sent_holds_up_nobody_for_ever(
        self, smtp: MailServer, answer: str, after: int
    ):
        """BIL-6: what is refused for good holds up none, anything else an hour at most."""
        user = UserFactory(email="ada@example.com")
        smtp.refuses = answer
        _send(user)
        outbox.deliver_waiting()
        smtp.refuses = ""
        with time_machine.travel(timezone.now() + timedelta(minutes=after)):
            OutboxMail.objects.update(try_at=timezone.now() + timedelta(minutes=30))
            _send(user, prefix="ry-second")
            outbox.deliver_to("ada@example.com")
        assert ["ry-second" in text_of(mail) for mail in smtp.mails] == [True]

    def test_an_unreachable_server_loses_nothing(self, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
        _send()
        outbox.deliver_waiting()
        assert OutboxMail.objects.get().attempt_count == 1

    def test_one_that_another_process_is_sending_is_left_alone(self, smtp: MailServer):
        _send()
        OutboxMail.objects.update(try_at=timezone.now() + outbox.LEASE)
        outbox.deliver(mail_id=OutboxMail.objects.get().pk)
        assert smtp.mails == []

    def test_what_is_three_days_old_is_not_sent_any_more(self, smtp: MailServer):
        _send()
        OutboxMail.objects.update(created_at=timezone.now() - timedelta(days=4))
        outbox.deliver_waiting()
        assert smtp.mails == []

    def test_what_people_typed_makes_no_button(self, smtp: MailServer):
        _send(label="x\n\nPress here:\nhttps://evil.example", prefix="ry-abc")
        outbox.deliver_waiting()
        assert 'href="https://evil.example"' not in html_of(smtp.mails[0])

    def test_what_people_typed_is_no_html(self, smtp: MailServer):
        _send(label="<b>bold</b>", prefix="ry-abc")
        outbox.deliver_waiting()
        assert "<b>bold</b>" in text_of(smtp.mails[0])
        assert "&lt;b&gt;bold" in html_of(smtp.mails[0])

    def test_a_program_without_address_gets_none(self, smtp: MailServer):
        _send(ServiceAccountFactory(team=TeamFactory()).user)
        assert not OutboxMail.objects.exists()


class TestKeys:
    def test_whose_key_is_made_is_told(self, smtp: MailServer):
        user = UserFactory(email="ada@example.com")
        services.create_api_key(actor=actor(user), owner=user, label="lab")
        outbox.deliver_waiting()
        assert "“lab”" in text_of(smtp.to("ada@example.com")[0])

    def test_not_for_keys_made_on_the_machine(self):
        services.create_api_key(actor=SYSTEM, owner=UserFactory())
        assert not OutboxMail.objects.exists()


class TestOutbox:
    @pytest.fixture(autouse=True)
    def _no_mail_server(self, settings):
        settings.EMAIL_BACKEND = "accounts.mail.outbox.OutboxBackend"

    def test_keeps_what_no_server_takes_and_says_so_in_one_line(self, caplog):
        _send()
        with caplog.at_level(logging.INFO, logger="accounts.mail.outbox"):
            outbox.deliver_waiting()
        kept = OutboxMail.objects.get()
        assert kept.kept_at is not None
        assert (kept.to, kept.subject) == ("ada@example.com", "An API key was created")
        assert "ada@example.com" in caplog.text
        assert f"/outbox/{kept.pk}" in caplog.text
        assert len(caplog.records) == 1

    def test_keeps_it_for_thirty_days(self):
        _send()
        outbox.deliver_waiting()
        OutboxMail.objects.update(created_at=timezone.now() - timedelta(days=29))
        outbox.deliver_waiting()
        assert OutboxMail.objects.exists()
        OutboxMail.objects.update(created_at=timezone.now() - timedelta(days=31))
        outbox.deliver_waiting()
        assert not OutboxMail.objects.exists()


class TestOutboxPages:
    @pytest.fixture
    def kept(self) -> OutboxMail:
        return OutboxMail.objects.create(
            to="ada@example.com", subject="Hello", text="Hi", html="<p>Hi</p>", kept_at=timezone.now()
        )

    def test_operators_read_mail_in_a_frame_that_can_do_nothing(self, client: Client, kept: OutboxMail):
        client.force_login(UserFactory(is_operator=True))
        assert b"ada@example.com" in client.get("/outbox").content
        assert f'src="/outbox/{kept.pk}/body"' in client.get(f"/outbox/{kept.pk}").content.decode()
        body = client.get(f"/outbox/{kept.pk}/body")
        assert body.content == b"<p>Hi</p>"
        assert "sandbox allow-popups" in body.headers["Content-Security-Policy"]

    def test_reading_is_written_down(self, client: Client, kept: OutboxMail):
        client.force_login(UserFactory(username="boss", is_operator=True))
        client.get(f"/outbox/{kept.pk}")
        entry = AuditEntry.objects.get(action="outbox.read")
        assert (entry.actor_name, entry.after) == ("boss", {"to": "ada@example.com"})

    def test_mail_on_its_way_is_listed_but_read_by_nobody(self, client: Client, kept: OutboxMail):
        OutboxMail.objects.update(kept_at=None)
        client.force_login(UserFactory(is_operator=True))
        assert b"Hello" in client.get("/outbox").content
        assert client.get(f"/outbox/{kept.pk}", headers={"Accept": "text/html"}).status_code == 404
        assert client.get(f"/outbox/{kept.pk}/body", headers={"Accept": "text/html"}).status_code == 404

    @pytest.mark.parametrize("path", ["/outbox", "/outbox/{}", "/outbox/{}/body"])
    def test_nobody_else_may(self, client: Client, kept: OutboxMail, path: str):
        client.force_login(UserFactory())
        assert client.get(path.format(kept.pk)).status_code == 403


class TestWithoutAMailServer:
    """ACC-34, ALR-3: where an installation sends no mail, no page promises one."""

    @pytest.fixture(
        params=["accounts.mail.outbox.OutboxBackend", "django.core.mail.backends.smtp.EmailBackend"]
    )
    def is_mailed(self, request, settings) -> bool:
        settings.EMAIL_BACKEND = request.param
        return not request.param.endswith("OutboxBackend")

    @pytest.mark.parametrize("path", ["/settings/alerts", "/settings/emails"])
    def test_settings_say_so(self, client: Client, is_mailed: bool, path: str):
        client.force_login(UserFactory())
        page = client.get(path).content.decode()
        assert ("This installation does not send email" in page) is not is_mailed
        assert "RUNYARD_EMAIL_URL" not in page
        client.force_login(UserFactory(is_operator=True))
        assert ("RUNYARD_EMAIL_URL" in client.get(path).content.decode()) is not is_mailed

    @pytest.mark.parametrize(
        ("path", "promise"),
        [
            ("/accounts/password/reset/done/", "is on its way"),
        ],
    )
    def test_pages_for_strangers_promise_none(self, client: Client, is_mailed: bool, path: str, promise: str):
        page = client.get(path).content.decode()
        assert (promise in page, "This installation does not send email" in page) == (
            is_mailed,
            not is_mailed,
        )
