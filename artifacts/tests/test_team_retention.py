"""How long a team keeps its artifacts: shown before it acts, by page and by REST (ART-1)."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from artifacts.models import RetentionPolicy, Version
from artifacts.tests.factories import make_version
from runs.models import Project
from tests.factories import ProjectFactory, make_member

pytestmark = pytest.mark.django_db
DAY_S = 86_400


@pytest.fixture
def project() -> Project:
    return ProjectFactory(team__name="vision")


@pytest.fixture
def admin(project: Project) -> Client:
    client = Client()
    client.force_login(make_member(project.team, Preset.ADMIN))
    return client


def _aged(project: Project, days: int, **more: Any) -> Version:
    version = make_version(project, **more)
    Version.objects.filter(pk=version.pk).update(committed_at=timezone.now() - timedelta(days=days))
    return version


def test_the_page_shows_what_would_go_before_anything_does(admin: Client, project: Project) -> None:
    old = _aged(project, 40)
    _aged(project, 40, name="kept", ttl_s=0)
    page = "/teams/vision/artifacts"
    preview = admin.post(page, {"ttl": "days", "ttl_days": "30", "preview": "yes"})
    assert "1 version (6 B) would be deleted within 30 days" in " ".join(preview.content.decode().split())
    assert not RetentionPolicy.objects.exists()
    assert (
        "No version would be deleted" in admin.post(page, {"ttl": "never", "preview": "yes"}).content.decode()
    )
    assert admin.post(page, {"ttl": "days", "ttl_days": "30"}, HTTP_ACCEPT="text/html").status_code == 302
    old.refresh_from_db()
    assert old.expires_at is not None
    assert 'value="30"' in admin.get(page).content.decode()
    admin.post(page, {"ttl": "never"})
    old.refresh_from_db()
    assert old.expires_at is None


@pytest.mark.parametrize("days", ["", "0", "-1", "many", "9" * 30])
def test_what_is_no_number_of_days_changes_nothing(admin: Client, days: str) -> None:
    admin.post("/teams/vision/artifacts", {"ttl": "days", "ttl_days": days})
    assert not RetentionPolicy.objects.exists()


def test_programs_read_try_and_set_it(admin: Client, project: Project) -> None:
    _aged(project, 40)
    at = "/api/v1/artifact-retention/vision"
    assert admin.get(at).json() == {"ttl_s": 0}
    assert admin.get(f"{at}/preview?ttl_s={30 * DAY_S}").json() == {"version_count": 1, "size_bytes": 6}
    assert admin.get(f"{at}/preview?ttl_s=soon").status_code == 400
    put = admin.put(at, {"ttl_s": 30 * DAY_S}, content_type="application/json")
    assert (put.status_code, admin.get(at).json()) == (200, {"ttl_s": 30 * DAY_S})
    assert admin.put(at, {"ttl_s": -1}, content_type="application/json").status_code == 400
