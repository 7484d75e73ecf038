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


def _postgresql(url: str, **options: Any) -> dict[str, Any]:
    """Return a server's entry of DATABASES; ``options`` differ from those of others, and the URL's win."""
    found: dict[str, Any] = env.db_url_config(url)
    return found | {
        "ATOMIC_REQUESTS": False,
        "CONN_MAX_AGE": 0,  # it goes back to the pool
        # a connection of the pool may be of before a restart of the server: looked at when it is taken
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": DATABASE_POOLER,  # the next statement may meet another session
        "OPTIONS": {
            "connect_timeout": 5,
            # a server that is gone without a word, and one that no longer takes what is sent, are noticed in a minute
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
            "tcp_user_timeout": 30_000,
            **({} if DATABASE_POOLER else {"options": _SESSION}),
            **options,
            "pool": {
                "min_size": 2,
                "max_size": env.int("RUNYARD_DATABASE_POOL", default=16),
                "timeout": 10,
                "max_idle": 30,  # what a burst needed is given back, for the server's other processes
                **options.get("pool", {}),
            },
            **found.get("OPTIONS", {}),  # of the URL: sslmode, target_session_attrs
        },
    }


def _sqlite(url: str) -> dict[str, Any]:
    # the REST framework imports PostgreSQL's fields where it can, and with them the driver: 12 MB, 0.1 s
    sys.modules["django.contrib.postgres"] = None  # type: ignore[assignment]  # "cannot be imported"
    found: dict[str, Any] = env.db_url_config(url)
    return found | {
        "ATOMIC_REQUESTS": False,
        "CONN_MAX_AGE": None,  # opening one takes as long as ten queries; threads keep theirs
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # mapped: all threads share the system's cache of pages instead of filling one each
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA mmap_size=268435456;",
        },
    }


_is_sqlite = env.db_url_config(DATABASE_URL)["ENGINE"].endswith("sqlite3")
DATABASES = {"default": _sqlite(DATABASE_URL) if _is_sqlite else _postgresql(DATABASE_URL)}
REPLICA_URL = env.str("RUNYARD_DATABASE_REPLICA_URL", default="")
"""A standby of the primary, from which pages are read (`common.database.replica`)."""
if REPLICA_URL and not _is_sqlite:
    DATABASES["replica"] = _postgresql(
        REPLICA_URL,
        # where it is away pages wait no longer than this, since there is the primary
        connect_timeout=2,
        keepalives_idle=5,
        keepalives_interval=2,
        tcp_user_timeout=5_000,
        pool={"timeout": 1, "reconnect_timeout": 5},  # then the next request tries to connect
    ) | {"TEST": {"MIRROR": "default"}}
    DATABASE_ROUTERS = ["common.database.replica.routing.ReplicaRouter"]
