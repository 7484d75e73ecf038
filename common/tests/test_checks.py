"""`manage.py check` explains a bad configuration, and every message names the page that helps."""

import pytest

from config.checks import address, observation, rules, servers


@pytest.mark.parametrize(
    ("name", "value", "check", "found"),
    [
        ("BASE_URL", "https://runyard.example.com", address.check_url, None),
        ("BASE_URL", "runyard.example.com", address.check_url, "runyard.E001"),
        ("BASE_URL", "https://[", address.check_url, "runyard.E001"),
        ("BASE_URL", "https://example.com/runyard", address.check_url, "runyard.E002"),
        ("CRASH_TIMEOUT_S", 60, rules.check_crash_timeout, None),
        ("CRASH_TIMEOUT_S", 59, rules.check_crash_timeout, "runyard.E004"),
        ("SECRET_KEY", "x" * 31, rules.check_secret_key, "runyard.E005"),
        ("METRICS_TOKEN", "", observation.check_metrics_token, None),
        ("METRICS_TOKEN", "x" * 32, observation.check_metrics_token, None),
        ("METRICS_TOKEN", "x" * 31, observation.check_metrics_token, "runyard.E012"),
        ("METRICS_TOKEN", "x" * 31 + " y", observation.check_metrics_token, "runyard.E012"),
        ("TRACES_URL", "", observation.check_traces, None),
        ("TRACES_URL", "http://collector:4318", observation.check_traces, None),
        ("TRACES_URL", "https://traces.example.com/otlp", observation.check_traces, None),
        ("TRACES_URL", "collector:4318", observation.check_traces, "runyard.E023"),
        ("TRACES_URL", "grpc://collector:4317", observation.check_traces, "runyard.E023"),
        ("TRACES_URL", "https://[", observation.check_traces, "runyard.E023"),
        ("TRACES_HEADERS", {"authorization": "Bearer x"}, observation.check_traces, None),
        ("TRACES_HEADERS", {"Bearer x": ""}, observation.check_traces, "runyard.E023"),
        ("TRACES_HEADERS", {"x": "a\nb"}, observation.check_traces, "runyard.E023"),
        ("TRACES_SHARE", 1.0, observation.check_traces, None),
        ("TRACES_SHARE", -0.1, observation.check_traces, "runyard.E023"),
        ("TRACES_SHARE", 1.1, observation.check_traces, "runyard.E023"),
        ("PORT", 0, address.check_port, "runyard.E006"),
        ("REDIS_URL", "rediss://example.com:6380/1", servers.check_redis_url, None),
        ("REDIS_URL", "http://example.com", servers.check_redis_url, "runyard.E008"),
        ("REPLICA_URL", "", servers.check_replica, None),
        ("REPLICA_URL", "sqlite:////replica.sqlite3", servers.check_replica, "runyard.E024"),
        ("SEGMENT_STORE", "files", servers.check_segments, None),
        ("SEGMENT_STORE", "database", servers.check_segments, None),
        ("SEGMENT_STORE", "bucket", servers.check_segments, "runyard.E011"),
        ("SEGMENT_STORE", "s3", servers.check_segments, "runyard.E011"),
        ("SEGMENT_STORE", "clickhouse", servers.check_segments, "runyard.E011"),
        ("CLICKHOUSE_URL", "", servers.check_clickhouse, None),
        ("CLICKHOUSE_URL", "https://u:p%40@first,[::1]:8124/metrics", servers.check_clickhouse, None),
        *(
            ("CLICKHOUSE_URL", url, servers.check_clickhouse, "runyard.E022")
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
        ("CLICKHOUSE_CLUSTER", "it's", servers.check_clickhouse, "runyard.E022"),
        ("STORAGE_URL", "", servers.check_storage, None),
        ("STORAGE_URL", "/var/files", servers.check_storage, "runyard.E021"),
        ("STORAGE_URL", "s3://bucket", servers.check_storage, "runyard.E021"),
        ("STORAGE_URL", "s3://key:secret@bucket?region=eu-west-1", servers.check_storage, "runyard.E021"),
        ("DELETED_KEPT_DAYS", 0, rules.check_deleted_kept_days, None),
        ("DELETED_KEPT_DAYS", 3650, rules.check_deleted_kept_days, None),
        ("DELETED_KEPT_DAYS", -1, rules.check_deleted_kept_days, "runyard.E013"),
        ("DELETED_KEPT_DAYS", 3651, rules.check_deleted_kept_days, "runyard.E013"),
        ("INVITATION_DAYS", 365, rules.check_invitation_days, None),
        ("INVITATION_DAYS", 0, rules.check_invitation_days, "runyard.E010"),
        ("INVITATION_DAYS", 366, rules.check_invitation_days, "runyard.E010"),
        ("FRAME_ANCESTORS", [], address.check_frame_ancestors, None),
        *(
            ("FRAME_ANCESTORS", [site], address.check_frame_ancestors, None)
            for site in (
                "https://a.example",
                "http://localhost:8888",
                "https://*.a.example:*",
                "http://[::1]:8888",
            )
        ),
        *(
            ("FRAME_ANCESTORS", [site], address.check_frame_ancestors, "runyard.E020")
            for site in (
                "*",
                "https:",
                "a.example",
                "https://a.example/lab",
                "https://a; script-src *",
                "'self'",
            )
        ),
        ("SUPPORT_CONTACT", "help@example.com", rules.check_support_contact, None),
        ("SUPPORT_CONTACT", "ask Bob", rules.check_support_contact, "runyard.W003"),
    ],
)
def test_a_setting_is_checked(settings, name, value, check, found):
    setattr(settings, name, value)
    assert [message.id for message in check()] == ([found] if found else [])
    assert all("docs/operate/configure.md#" in (message.hint or "") for message in check())


def test_segments_go_to_the_bucket_where_there_is_one(settings):
    settings.SEGMENT_STORE, settings.STORAGE_URL = "bucket", "s3://bucket?region=eu-west-1"
    assert servers.check_segments() == []


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
    assert [message.id for message in servers.check_email_url()] == found


@pytest.mark.parametrize(("given", "found"), [("", ["runyard.W002"]), ("https://runyard.example.com", [])])
def test_listening_for_the_network_needs_an_address(settings, monkeypatch, given, found):
    settings.HOST = "0.0.0.0"  # noqa: S104 - not bound
    monkeypatch.setenv("RUNYARD_URL", given)
    assert [message.id for message in address.check_allowed_hosts()] == found


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
    assert [message.id for message in servers.check_web_processes()] == found


@pytest.mark.parametrize(("database", "found"), [("postgresql", []), ("sqlite", ["runyard.E024"])])
def test_a_replica_is_one_of_postgresql(settings, database, found):
    settings.DATABASE_URL, settings.REPLICA_URL = f"{database}:///runyard", "postgres://standby/runyard"
    assert [message.id for message in servers.check_replica()] == found


def test_a_data_folder_that_cannot_be_written_is_found(monkeypatch, tmp_path):
    assert servers.check_home() == []
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(servers, "HOME", file / "home")
    assert [message.id for message in servers.check_home()] == ["runyard.E003"]
