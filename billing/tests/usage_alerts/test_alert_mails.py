"""Mails of billing through a real mail server, in the reader's language (BIL-6, BIL-10)."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from accounts.mail import outbox
from accounts.models import User
from billing.invoices import closing
from billing.tests.used import metered, payer, used
from billing.usage_alerts import services as usage_alerts
from tests.factories import UserFactory
from tests.fakes.smtp import MailServer, html_of, mail_server, text_of
from tests.plans import offer_plans

BEGUN = datetime(2026, 11, 3, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def smtp(settings) -> Iterator[MailServer]:
    """Let mail leave by a real peer."""
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server


@pytest.mark.parametrize("language", ["en", "ja", "ko"])
def test_an_alert_and_an_invoice_reach_the_reader_in_their_language(smtp, language, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, tzinfo=UTC), tick=False)
    offer_plans()
    admin = UserFactory(username="ada")
    User.objects.filter(pk=admin.pk).update(language=language)
    _subscription, team = payer(name="acme", begun=BEGUN, admin=admin)
    used(team, date(2026, 11, 10), hours=430)
    metered(datetime(2026, 11, 20, tzinfo=UTC))
    usage_alerts.check_usage()
    outbox.deliver_waiting()  # what waits for days is given up
    time_machine.move_to(datetime(2026, 12, 1, 7, tzinfo=UTC), tick=False)
    closing.close_due()
    outbox.deliver_waiting()
    alert, invoice = smtp.to(admin.email)
    assert "85%" in str(alert["Subject"])
    assert "430" in text_of(alert)
    assert 'href="http://localhost:8000/organizations/acme/billing/plans"' in html_of(alert)
    assert "ACME-0001" in str(invoice["Subject"])
    assert "/organizations/acme/billing/invoices/ACME-0001.pdf" in text_of(invoice)
    assert ("November" in text_of(alert) or "Nov." in text_of(alert)) is (language == "en")
