"""ACC-40: who has an API key, or looks after a program's, is told before it ends."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from accounts.api_keys.expiry import mail_before_expiry
from accounts.models import ApiKey
from teams.service_accounts.keys import rotate_key
from tests.factories import ServiceAccountFactory, TeamFactory, UserFactory, delivered, make_key, make_member

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def _ending(owner) -> None:
    make_key(owner, label="cluster", expires_at=timezone.now() + 30 * DAY)


def _told() -> dict[str, str]:
    mail_before_expiry()
    return {mail.to[0]: str(mail.body) for mail in delivered() if "expires on" in mail.subject}


class TestTelling:
    def test_nobody_is_told_a_month_before(self):
        _ending(UserFactory())
        assert mail_before_expiry() == 0

    def test_a_person_is_told_once(self):
        ada = UserFactory()
        _ending(ada)
        with time_machine.travel(timezone.now() + 24 * DAY):
            words = _told()[ada.email]
            assert "“cluster” (ry-" in words
            assert "http://localhost:8000/settings/api-keys" in words
            assert mail_before_expiry() == 0

    def test_a_key_for_a_few_days_is_left_alone(self):
        make_key(UserFactory(), expires_at=timezone.now() + 5 * DAY)
        assert mail_before_expiry() == 0

    def test_whoever_is_gone_is_not_told(self):
        ada = UserFactory()
        _ending(ada)
        ada.is_active = False
        ada.save()
        with time_machine.travel(timezone.now() + 24 * DAY):
            assert mail_before_expiry() == 0

    def test_a_teams_admins_are_told_of_their_service_accounts_keys(self):
        team = TeamFactory()
        admin, _member = make_member(team, Preset.ADMIN), make_member(team)
        account = ServiceAccountFactory(team=team)
        _ending(account.user)
        with time_machine.travel(timezone.now() + 24 * DAY):
            told = _told()
        assert admin.email in told
        assert _member.email not in told
        assert f"/teams/{team.name}/service-accounts/{account.pk}" in told[admin.email]

    def test_an_organizations_admins_are_told_of_its_service_accounts_keys(self):
        organization = TeamFactory().organization
        account = ServiceAccountFactory(team=None, organization=organization)
        _ending(account.user)
        with time_machine.travel(timezone.now() + 24 * DAY):
            told = _told()
        (words,) = told.values()
        assert f"/organizations/{organization.name}/service-accounts/{account.pk}" in words

    def test_who_rotates_a_key_knows(self):
        account = ServiceAccountFactory(team=TeamFactory())
        _ending(account.user)
        rotate_key(actor=SYSTEM, account=account, key=ApiKey.objects.get(), overlap_hours=48)
        assert mail_before_expiry() == 0
