"""`manage.py check` explains a bad configuration, and every message names the page that helps."""

import pytest

from config import checks


@pytest.mark.parametrize(
    ("name", "value", "check", "found"),
    [
        ("BASE_URL", "https://runyard.example.com", checks.check_url, None),
        ("BASE_URL", "runyard.example.com", checks.check_url, "runyard.E001"),
        ("BASE_URL", "https://[", checks.check_url, "runyard.E001"),
        ("BASE_URL", "https://example.com/runyard", checks.check_url, "runyard.E002"),
        ("CRASH_TIMEOUT_S", 60, checks.check_crash_timeout, None),
        ("CRASH_TIMEOUT_S", 59, checks.check_crash_timeout, "runyard.E004"),
        ("SECRET_KEY", "x" * 31, checks.check_secret_key, "runyard.E005"),
        ("METRICS_TOKEN", "", checks.check_metrics_token, None),
        ("METRICS_TOKEN", "x" * 32, checks.check_metrics_token, None),
        ("METRICS_TOKEN", "x" * 31, checks.check_metrics_token, "runyard.E012"),
        ("METRICS_TOKEN", "x" * 31 + " y", checks.check_metrics_token, "runyard.E012"),
        ("PORT", 0, checks.check_port, "runyard.E006"),
        ("REDIS_URL", "rediss://example.com:6380/1", checks.check_redis_url, None),
        ("REDIS_URL", "http://example.com", checks.check_redis_url, "runyard.E008"),
        ("SEGMENT_STORE", "files", checks.check_segments, None),
        ("SEGMENT_STORE", "database", checks.check_segments, None),
        ("SEGMENT_STORE", "bucket", checks.check_segments, "runyard.E011"),
        ("SEGMENT_STORE", "s3", checks.check_segments, "runyard.E011"),
        ("SEGMENT_STORE", "clickhouse", checks.check_segments, "runyard.E011"),
        ("CLICKHOUSE_URL", "", checks.check_clickhouse, None),
        ("CLICKHOUSE_URL", "https://u:p%40@first,[::1]:8124/metrics", checks.check_clickhouse, None),
        *(
            ("CLICKHOUSE_URL", url, checks.check_clickhouse, "runyard.E022")
            for url in (
                "first:8123",
                "clickhouse://first",
                "http://",
                "http://a,,b",
                "http://a:b",
                "http://a/b-c",
                "http://a?x=1",
            )
        ),
        ("CLICKHOUSE_CLUSTER", "it's", checks.check_clickhouse, "runyard.E022"),
        ("STORAGE_URL", "", checks.check_storage, None),
        ("STORAGE_URL", "/var/files", checks.check_storage, "runyard.E021"),
        ("STORAGE_URL", "s3://bucket", checks.check_storage, "runyard.E021"),
        ("STORAGE_URL", "s3://key:secret@bucket?region=eu-west-1", checks.check_storage, "runyard.E021"),
        ("DELETED_KEPT_DAYS", 0, checks.check_deleted_kept_days, None),
        ("DELETED_KEPT_DAYS", 3650, checks.check_deleted_kept_days, None),
        ("DELETED_KEPT_DAYS", -1, checks.check_deleted_kept_days, "runyard.E013"),
        ("DELETED_KEPT_DAYS", 3651, checks.check_deleted_kept_days, "runyard.E013"),
        ("INVITATION_DAYS", 365, checks.check_invitation_days, None),
        ("INVITATION_DAYS", 0, checks.check_invitation_days, "runyard.E010"),
        ("INVITATION_DAYS", 366, checks.check_invitation_days, "runyard.E010"),
        ("FRAME_ANCESTORS", [], checks.check_frame_ancestors, None),
        *(
            ("FRAME_ANCESTORS", [site], checks.check_frame_ancestors, None)
            for site in (
                "https://a.example",
                "http://localhost:8888",
                "https://*.a.example:*",
                "http://[::1]:8888",
            )
        ),
        *(
            ("FRAME_ANCESTORS", [site], checks.check_frame_ancestors, "runyard.E020")
            for site in (
                "*",
                "https:",
                "a.example",
                "https://a.example/lab",
                "https://a; script-src *",
                "'self'",
            )
        ),
        ("SUPPORT_CONTACT", "help@example.com", checks.check_support_contact, None),
        ("SUPPORT_CONTACT", "ask Bob", checks.check_support_contact, "runyard.W003"),
    ],
)
def test_a_setting_is_checked(settings, name, value, check, found):
    setattr(settings, name, value)
    assert [message.id for message in check()] == ([found] if found else [])
    assert all("docs/operate/configure.md#" in (message.hint or "") for message in check())


def test_segments_go_to_the_bucket_where_there_is_one(settings):
    settings.SEGMENT_STORE, settings.STORAGE_URL = "bucket", "s3://bucket?region=eu-west-1"
    assert checks.check_segments() == []


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("", []),
        ("smtp+tls://user:secret@mail.example.com:587", []),
        ("mail.example.com", ["runyard.E007"]),
        ("smtp://mail.example.com:port", ["runyard.E007"]),
    ],
)
def test_the_mail_url_is_checked(monkeypatch, url, found):
    monkeypatch.setenv("RUNYARD_EMAIL_URL", url)
    assert [message.id for message in checks.check_email_url()] == found


@pytest.mark.parametrize(("given", "found"), [("", ["runyard.W002"]), ("https://runyard.example.com", [])])
def test_listening_for_the_network_needs_an_address(settings, monkeypatch, given, found):
    settings.HOST = "0.0.0.0"  # noqa: S104 - not bound
    monkeypatch.setenv("RUNYARD_URL", given)
    assert [message.id for message in checks.check_allowed_hosts()] == found


@pytest.mark.parametrize(
    ("engine", "processes", "found"),
    [
        ("django.db.backends.sqlite3", "1", []),
        ("django.db.backends.sqlite3", "2", ["runyard.W001"]),
        ("django.db.backends.postgresql", "2", []),
    ],
)
def test_several_web_processes_need_postgresql(monkeypatch, settings, engine, processes, found):
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", engine)
    monkeypatch.setenv("WEB_CONCURRENCY", processes)
    assert [message.id for message in checks.check_web_processes()] == found


def test_a_data_folder_that_cannot_be_written_is_found(monkeypatch, tmp_path):
    assert checks.check_home() == []
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(checks, "HOME", file / "home")
    assert [message.id for message in checks.check_home()] == ["runyard.E003"]
