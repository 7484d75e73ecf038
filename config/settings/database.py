"""SQLite in the data folder, or PostgreSQL by URL (reasons: docs/develop/decisions/database.md)."""

from typing import Any

from config.env import HOME, env

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_FOLDER = HOME
BLOB_ROOT = HOME / "blobs"
SEGMENT_ROOT = HOME / "segments"
SEGMENT_STORE = env.str("RUNYARD_SEGMENTS", default="files")

DATABASE_URL = env.str("RUNYARD_DATABASE_URL", default=f"sqlite:///{HOME}/runyard.sqlite3")

_database: dict[str, Any] = env.db_url_config(DATABASE_URL)
_database["CONN_MAX_AGE"] = 0  # under ASGI each request has a thread of its own
_database["ATOMIC_REQUESTS"] = False
if _database["ENGINE"].endswith("sqlite3"):
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # mapped, because a connection lives for one request, and its own cache of pages with it
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=268435456;",
    }
else:
    # a connection of the pool may be of before a restart of the server: looked at when it is taken
    _database["CONN_HEALTH_CHECKS"] = True
    _database["OPTIONS"] = {
        "connect_timeout": 5,
        "pool": {"min_size": 2, "max_size": env.int("RUNYARD_DATABASE_POOL", default=16), "timeout": 10},
    }
DATABASES = {"default": _database}
