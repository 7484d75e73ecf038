"""Redis: broker, channel layer, cache. It stores nothing that a beat sweep cannot find again in the database."""

import re
from pathlib import Path

from config.env import EMBEDDED_REDIS_URL_FILE, HOME, env, redis_url

REDIS_URL = redis_url()
REDIS_URL_FILE: Path = EMBEDDED_REDIS_URL_FILE
REDIS_URL_GIVEN = env.str("RUNYARD_REDIS_URL", default="")
"""Empty: `manage.py serve` starts an embedded server."""
_on_socket = REDIS_URL.startswith("unix://")
# read without the library, whose import would cost `serve` 0.2 s and 24 MB
_named_database = re.search(r"^rediss?://[^/?]*/(\d+)|[?&]db=(\d+)", REDIS_URL)
_database = (_named_database[1] or _named_database[2]) if _named_database else "0"

CACHES = {
    "default": {
        "BACKEND": "common.server.shared_cache.SharedRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "runyard",
    }
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # Redis delivers what is published to the subscribers of all its databases.
        "CONFIG": {"hosts": [REDIS_URL], "prefix": f"runyard.{_database}."},
    }
}

# Celery's URL of a socket has another scheme, and another parameter for the database.
CELERY_BROKER_URL = (
    re.sub(r"(?<=[?&])db=", "virtual_host=", REDIS_URL.replace("unix://", "redis+socket://", 1))
    if _on_socket
    else REDIS_URL
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 600
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "config.schedule:LeasedScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(HOME / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "worker-heartbeat": {"task": "common.tasks.beat_heartbeat", "schedule": 15.0},
    "purge-audit": {"task": "access.tasks.purge_audit", "schedule": 3600.0},
    "deliver-mail": {"task": "accounts.tasks.deliver_waiting", "schedule": 30.0},
    "expire-unproven-addresses": {"task": "accounts.tasks.expire_unproven_addresses", "schedule": 3600.0},
    "tell-of-ending-keys": {"task": "accounts.tasks.tell_of_ending_keys", "schedule": 3600.0},
    "find-crashed-runs": {"task": "runs.tasks.find_crashed_runs", "schedule": 20.0},
    "fold-logs": {"task": "runs.tasks.fold_logs", "schedule": 60.0},
    "route-events": {"task": "alerts.tasks.route_events", "schedule": 15.0},
    "send-alerts": {"task": "alerts.tasks.send_due", "schedule": 15.0},
    "purge-alerts": {"task": "alerts.tasks.purge_history", "schedule": 3600.0},
    "sweep-payments": {"task": "billing.tasks.sweep_payments", "schedule": 300.0},
    "close-billing": {"task": "billing.tasks.close_billing", "schedule": 3600.0},
    "remind-of-invoices": {"task": "billing.tasks.remind_overdue", "schedule": 3600.0},
    "check-usage": {"task": "billing.tasks.check_usage", "schedule": 300.0},
    "tend-trials": {"task": "billing.tasks.tend_trials", "schedule": 600.0},
    "make-exports": {"task": "exports.tasks.make_exports", "schedule": 60.0},
    "note-limits": {"task": "billing.tasks.note_limits", "schedule": 300.0},
    "settle-holdings": {"task": "runs.tasks.repair_storage_ledger", "schedule": 24 * 3600.0},
    "measure-hardware": {"task": "usage.tasks.measure_hardware", "schedule": 300.0},
    "purge-runs": {"task": "runs.tasks.purge_runs", "schedule": 600.0},
    "pack-streams": {"task": "metrics.tasks.pack_streams", "schedule": 20.0},
    "purge-artifacts": {"task": "artifacts.tasks.purge_artifacts", "schedule": 600.0},
    "collect-artifacts": {"task": "artifacts.tasks.collect_artifacts", "schedule": 3600.0},
    "expire-artifacts": {"task": "artifacts.tasks.expire_artifacts", "schedule": 3600.0},
    "settle-artifacts": {"task": "artifacts.tasks.settle_artifacts", "schedule": 24 * 3600.0},
    "stop-runs-behind": {"task": "sweeps.tasks.stop_early", "schedule": 10.0},
    "settle-sweeps": {"task": "sweeps.tasks.settle", "schedule": 30.0},
    "purge-sweeps": {"task": "sweeps.tasks.purge", "schedule": 3600.0},
    "sweep-segments": {"task": "metrics.tasks.sweep_segments", "schedule": 3600.0},
    "sweep-storage": {"task": "storage.tasks.sweep_storage", "schedule": 3600.0},
    "run-meter": {"task": "usage.tasks.run_meter", "schedule": 60.0},
    "move-contents": {"task": "storage.tasks.move_contents", "schedule": 60.0},
    "begin-late-moves": {"task": "storage.tasks.begin_late_moves", "schedule": 3600.0},
    "sweep-strays": {"task": "storage.tasks.sweep_strays", "schedule": 24 * 3600.0},
}
