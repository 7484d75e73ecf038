"""`/healthz` (the process lives) and `/ready` (it can serve), for load balancers and supervisors."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from common.tasks import HEARTBEAT_KEY

REDIS_TIMEOUT_S = 2


class NotReadyError(Exception):
    """A part is not ready; the message is shown to anybody, so it is always one of our own sentences."""


class _Seen:
    """What need not be asked again in this process."""

    migrated = False


def healthz(request: HttpRequest) -> JsonResponse:
    """Answer without touching anything: the process takes requests."""
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 when every part works, or those that ``?parts=`` names, else 503; name each part with its time."""
    names = list(filter(None, request.GET.get("parts", "").split(","))) or list(PARTS)
    if unknown := set(names) - set(PARTS):
        message = f"There is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}."
        return JsonResponse({"status": "error", "error": message}, status=400)
    parts = measured_parts(names)
    is_ready = all(part["ok"] for part in parts.values())
    return JsonResponse(
        {"status": "ok" if is_ready else "unavailable", "parts": parts}, status=200 if is_ready else 503
    )


def measured_parts(names: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """Ask every part, or those named, whether it works: ``ok``, ``milliseconds`` and, where it does not, ``error``."""
    return {name: _measured(PARTS[name]) for name in names or PARTS}


def _measured(check: Callable[[], None]) -> dict[str, Any]:
    begin = time.perf_counter()
    error = ""
    try:
        check()
    except NotReadyError as problem:
        error = str(problem)
    except Exception as problem:  # noqa: BLE001 - whatever a driver raises means "not ready"
        error = type(problem).__name__  # never its message: drivers put URLs, and so passwords, into it
    part: dict[str, Any] = {"ok": not error, "milliseconds": round((time.perf_counter() - begin) * 1000, 2)}
    return part | ({"error": error} if error else {})


def _check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _check_migrations() -> None:
    if _Seen.migrated:
        return  # migrations run before the processes start; what is applied stays applied
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise NotReadyError("migrations are not applied: run the command `migrate`")
    _Seen.migrated = True


def _redis() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
    )


def _check_redis() -> None:
    with _redis() as client:
        client.ping()


def _check_worker() -> None:
    with _redis() as client:
        if not client.exists(HEARTBEAT_KEY):
            raise NotReadyError("no worker has responded for 60 s")


def _folders() -> set[Path]:
    folders = {Path(folder) for folder in (settings.DATA_FOLDER, settings.BLOB_ROOT, settings.SEGMENT_ROOT)}
    if connection.vendor == "sqlite":
        folders.add(Path(settings.DATABASES["default"]["NAME"]).absolute().parent)
    return folders


def _check_disk() -> None:
    """See that files can be written where blobs, segments and an SQLite database lie.

    Raises:
        NotReadyError: one cannot, or less than settings.FREE_DISK_BYTES is free.
    """
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"\0" * 4096)
                file.flush()
        except OSError as error:
            raise NotReadyError(f"nothing can be written: {os.strerror(error.errno or 0)}") from error
        if shutil.disk_usage(folder).free < settings.FREE_DISK_BYTES:
            raise NotReadyError("the disk is almost full (setting RUNYARD_FREE_DISK_MIB)")


PARTS: dict[str, Callable[[], None]] = {
    "database": _check_database,
    "migrations": _check_migrations,
    "disk": _check_disk,
    "redis": _check_redis,
    "worker": _check_worker,
}
