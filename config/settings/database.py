"""SQLite in the data folder, or PostgreSQL by URL (reasons: docs/develop/decisions/database.md)."""

import sys
from typing import Any

from config.env import HOME, env

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_FOLDER = HOME
BLOB_ROOT = HOME / "blobs"
SEGMENT_ROOT = HOME / "segments"
SEGMENT_STORE = env.str("RUNYARD_SEGMENTS", default="files")
CLICKHOUSE_URL = env.str("RUNYARD_CLICKHOUSE_URL", default="")
CLICKHOUSE_CLUSTER = env.str("RUNYARD_CLICKHOUSE_CLUSTER", default="")
"""Of the servers' ``remote_servers``; "" is one server."""

WEB_THREADS = env.int("RUNYARD_WEB_THREADS", default=64)
"""Pages and answers of APIs that a web process makes at once: many, since some wait for a bucket or another server."""
WEB_DRAIN_S = 1.0
"""How long a web process that ends takes requests over connections that are idle (`common.server.http_protocol`)."""
DATABASE_URL = env.str("RUNYARD_DATABASE_URL", default=f"sqlite:///{HOME}/runyard.sqlite3")

DATABASE_POOLER = env.bool("RUNYARD_DATABASE_POOLER", default=False)
"""Whether a pooler in transaction mode (PgBouncer) lies between: then nothing may be set for a session."""
DATABASE_TIMEOUT_S = env.int("RUNYARD_DATABASE_TIMEOUT_S", default=60)
"""How long a statement of web may take (`common.database.connecting`)."""
_SESSION = (
    # locks of a host that was cut off in a transaction are free again after as long as this
    "-c idle_in_transaction_session_timeout=300000"
    " -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
)

_database: dict[str, Any] = env.db_url_config(DATABASE_URL)
_database["ATOMIC_REQUESTS"] = False
if _database["ENGINE"].endswith("sqlite3"):
    # the REST framework imports PostgreSQL's fields where it can, and with them the driver: 12 MB, 0.1 s
    sys.modules["django.contrib.postgres"] = None  # type: ignore[assignment]  # "cannot be imported"
    _database["CONN_MAX_AGE"] = None  # opening one takes as long as ten queries; threads keep theirs
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # mapped: all threads share the system's cache of pages instead of filling one each
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=268435456;",
    }
else:
    _database["CONN_MAX_AGE"] = 0  # it goes back to the pool
    # a connection of the pool may be of before a restart of the server: looked at when it is taken
    _database["CONN_HEALTH_CHECKS"] = True
    _database["DISABLE_SERVER_SIDE_CURSORS"] = DATABASE_POOLER  # the next statement may meet another session
    _database["OPTIONS"] = {
        "connect_timeout": 5,
        # a server that is gone without a word, and one that no longer takes what is sent, are noticed in a minute
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
        "pool": {
            "min_size": 2,
            "max_size": env.int("RUNYARD_DATABASE_POOL", default=16),
            "timeout": 10,
            "max_idle": 30,  # what a burst needed is given back, for the server's other processes
        },
        **({} if DATABASE_POOLER else {"options": _SESSION}),
        **_database.get("OPTIONS", {}),  # of the URL: sslmode, target_session_attrs
    }
DATABASES = {"default": _database}
