"""What this machine, the settings, and the servers behind Runyard say of themselves."""

import shutil
import smtplib
import time
from collections.abc import Iterator
from pathlib import Path

import redis
import urllib3
from django.conf import settings
from django.core.checks import ERROR, WARNING, run_checks
from django.core.mail import get_connection
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from common.database.connecting import why_refused
from common.database.replica.freshness import REPLICA, Freshness, look, trouble
from common.database.schema_check import unknown_migrations
from common.errors import DomainError
from common.tasks import HEARTBEAT_KEY
from config.doctor.findings import Finding, broken, fine, warning
from metrics.store.clickhouse import tables
from metrics.store.clickhouse.servers import cluster_servers
from storage.buckets.services import check_default_bucket, default_bucket

GIB = 1024**3
OLDEST_REDIS = (6, 2)
CLOCKS_APART_S = 5
"""Signed URLs, leases and times of runs bear less."""
TIMEOUT_S = 5


def settings_of_environment() -> Iterator[Finding]:
    """Yield what the checks of the settings find."""
    found = [message for message in run_checks() if message.level >= WARNING]
    for message in found:
        say = broken if message.level >= ERROR else warning
        yield say(
            "settings", f"{message.msg} ({message.id})", message.hint or "See docs/operate/configure.md."
        )
    if not found:
        yield fine("settings", f"RUNYARD_HOME is {settings.DATA_FOLDER}, RUNYARD_URL is {settings.BASE_URL}")


def disk() -> Iterator[Finding]:
    """Yield whether the data folder can be written, and has room."""
    folder = Path(settings.DATA_FOLDER)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_bytes(b"\0" * 4096)
        probe.unlink()
    except OSError as error:
        yield broken(
            "disk",
            f"{folder} cannot be written: {error.strerror}.",
            "Give the user that runs Runyard the right to write there.",
        )
        return
    usage = shutil.disk_usage(folder)
    text = f"{usage.free / GIB:.1f} GiB of {usage.total / GIB:.0f} GiB are free below {folder}"
    if usage.free < settings.FREE_DISK_BYTES:
        advice = "Free some, or move files and metrics to a bucket (docs/operate/storage.md)."
        yield broken("disk", f"{text}, less than RUNYARD_FREE_DISK_MIB asks for.", advice)
    elif usage.free < usage.total / 10:
        yield warning(
            "disk", f"{text}, less than a tenth.", "Free some before it is full: then posts are refused."
        )
    else:
        yield fine("disk", text)


def database() -> Iterator[Finding]:
    """Yield whether the database answers, and has the tables of this version."""
    name = f"{connection.vendor} {settings.DATABASES['default']['NAME']}"
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        unknown = unknown_migrations(executor.loader)
    except DatabaseError as error:
        reason, advice = why_refused(error)
        yield broken("database", f"{name} does not answer: {reason}", advice)
        return
    if unknown:
        advice = "Install that version again, or restore a backup of this one (docs/operate/run.md#upgrade)."
        yield broken("database", f"{name} was migrated by another version ({', '.join(unknown)}).", advice)
    elif plan:
        missing = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in plan[:3])
        text = f"{name} lacks migrations: {missing}{', …' if len(plan) > 3 else ''}"
        yield warning("database", text, "Run `runyard migrate`; `serve` and `prepare` do it, too.")
    else:
        yield fine("database", f"{name} answers, and has all migrations")


def replica() -> Iterator[Finding]:
    """Yield whether the replica follows the database closely enough for pages."""
    if REPLICA not in settings.DATABASES:
        return
    try:
        freshness = look()
    except DatabaseError:
        return  # said by `database`
    try:
        with connections[REPLICA].cursor() as cursor:
            cursor.execute("SELECT current_setting('hot_standby_feedback')")
            has_feedback = cursor.fetchone()[0] == "on"
    except DatabaseError as error:
        reason, advice = why_refused(error, alias=REPLICA, setting="RUNYARD_DATABASE_REPLICA_URL")
        yield warning(
            "replica", f"It does not answer: {reason}", f"{advice} Pages are read from the primary."
        )
        return
    advice = "Pages are read from the primary meanwhile. See docs/operate/run.md#read-replica."
    if freshness is Freshness.FOREIGN:
        text = "It is no standby of RUNYARD_DATABASE_URL, or has not followed the last failover yet."
        yield broken("replica", text, advice)
    elif freshness is not Freshness.FRESH:
        yield warning(
            "replica", f"It cannot be used: {trouble()}" if trouble() else "It is behind the primary.", advice
        )
    elif not has_feedback:
        advice = "Set hot_standby_feedback = on there."
        yield warning("replica", "The primary may cancel what is read from it for long.", advice)
    else:
        yield fine("replica", "has all that the primary has")


def clock() -> Iterator[Finding]:
    """Yield whether this machine's clock is that of the database and of Redis."""
    apart = {name: abs(at - time.time()) for name, at in _other_clocks().items()}
    wrong = {name: seconds for name, seconds in apart.items() if seconds > CLOCKS_APART_S}
    for name, seconds in wrong.items():
        advice = "Let an NTP client (chrony, systemd-timesyncd) set both clocks."
        yield broken("clock", f"This machine's clock and that of {name} are {seconds:.0f} s apart.", advice)
    if not wrong:
        yield fine("clock", f"as that of {' and '.join(apart)}" if apart else "nothing to compare it with")


def _other_clocks() -> dict[str, float]:
    """Return the time (seconds since the epoch) that other machines say."""
    clocks = {}
    if connection.vendor == "postgresql":
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
                clocks["the database"] = float(cursor.fetchone()[0])
        except DatabaseError:
            pass  # said by `database`
    try:
        with _redis() as client:
            seconds, microseconds = client.time()
            clocks["Redis"] = seconds + microseconds / 1e6
    except redis.RedisError:
        pass  # said by `redis_server`
    return clocks


def redis_server() -> Iterator[Finding]:
    """Yield whether Redis answers, is new enough, and keeps what it is given."""
    try:
        with _redis() as client:
            info = client.info()
    except redis.RedisError as error:
        is_given = bool(settings.REDIS_URL_GIVEN)
        advice = (
            "Start it, or mend RUNYARD_REDIS_URL."
            if is_given
            else "`runyard serve` starts one; is it running?"
        )
        yield broken("redis", f"It does not answer: {str(error).rstrip('.')}.", advice)
        return
    version = str(info["redis_version"])
    policy, limit = info.get("maxmemory_policy", "noeviction"), int(info.get("maxmemory", 0))
    if tuple(map(int, version.split(".")[:2])) < OLDEST_REDIS:
        yield broken("redis", f"It is version {version}.", "Install Redis 6.2 or newer, or Valkey.")
    elif limit and policy != "noeviction":
        text = (
            f"With maxmemory-policy {policy} it may throw tasks away when its {limit / GIB:.1f} GiB are full."
        )
        yield warning("redis", text, "Set maxmemory-policy noeviction.")
    else:
        yield fine("redis", f"version {version} answers")


def worker() -> Iterator[Finding]:
    """Yield whether a worker has shown signs of life."""
    try:
        with _redis() as client:
            lives = client.exists(HEARTBEAT_KEY)
    except redis.RedisError:
        return  # said by `redis_server`
    if lives:
        yield fine("worker", "has shown a sign of life within a minute")
    else:
        advice = "Start `runyard serve`, or `runyard worker`; alerts, packing and invoices wait for it."
        yield broken("worker", "None has shown a sign of life for a minute.", advice)


def mail() -> Iterator[Finding]:
    """Yield whether the mail server lets us in; nothing is sent."""
    if settings.EMAIL_BACKEND.endswith("OutboxBackend"):
        yield warning(
            "mail", "No mail is sent: it waits in the outbox of operators.", "Set RUNYARD_EMAIL_URL."
        )
        return
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    try:
        with get_connection(timeout=TIMEOUT_S):
            yield fine("mail", f"{where} lets Runyard in")
    except (OSError, smtplib.SMTPException) as error:
        yield broken("mail", f"{where}: {error}".strip(), "Mend RUNYARD_EMAIL_URL (docs/operate/mail.md).")


def bucket() -> Iterator[Finding]:
    """Yield whether the bucket of the settings does all that is asked of it."""
    if not settings.STORAGE_URL:
        yield fine("storage", f"files lie in {settings.BLOB_ROOT}")
        return
    try:
        error = check_default_bucket()
    except DatabaseError:
        return  # said by `database`
    if error:
        yield broken("storage", error, "See docs/operate/storage.md for the rights that it needs.")
    else:
        yield fine("storage", f"{default_bucket()} takes and gives files")


def clickhouse() -> Iterator[Finding]:
    """Yield whether every server of ClickHouse has the tables, and reaches all shards."""
    if not settings.CLICKHOUSE_URL:
        return
    try:
        servers = cluster_servers()
        yield fine(
            "clickhouse", f"version {tables.check(servers)} answers, {len(servers.address.servers)} servers"
        )
    except DomainError as error:
        yield broken("clickhouse", error.message, "See docs/operate/storage.md#clickhouse.")


def traces() -> Iterator[Finding]:
    """Yield whether the collector of traces takes them."""
    if not settings.TRACES_URL:
        return
    advice = "Start it, or mend RUNYARD_TRACES_URL and RUNYARD_TRACES_HEADERS; nothing else waits for it."
    try:
        answer = urllib3.request(
            "POST",
            f"{settings.TRACES_URL}/v1/traces",
            headers={"Content-Type": "application/x-protobuf", **settings.TRACES_HEADERS},
            timeout=TIMEOUT_S,
            retries=False,
        )
    except urllib3.exceptions.HTTPError as error:
        yield warning("traces", f"The collector does not answer ({type(error).__name__}).", advice)
        return
    if answer.status == 200:
        share = f"{settings.TRACES_SHARE:.0%} of requests and tasks"
        yield fine("traces", f"{settings.TRACES_URL} takes traces of {share}")
    else:
        yield warning("traces", f"The collector refuses traces with status {answer.status}.", advice)


def _redis() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S
    )
