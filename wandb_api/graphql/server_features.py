"""What this server can do, by the names that SDKs ask for (protocol 2.5)."""

FEATURES = {
    "AUTOMATION_ACTION_NO_OP": True,
    "AUTOMATION_EVENT_RUN_METRIC": True,
    "AUTOMATION_EVENT_RUN_METRIC_CHANGE": True,
    "AUTOMATION_EVENT_RUN_METRIC_ZSCORE": True,
    "AUTOMATION_EVENT_RUN_STATE": True,
    "AUTOMATION_SCOPE_ENTITY": True,
    "CLIENT_IDS": True,
    "FILESTREAM_GZIP": True,
    "MARK_RUN_FILES_UPLOADED": True,
    "QUERY_AUTOMATIONS_ON_ENTITY": True,
    "UPDATE_RUN_STATE": True,
}
"""What is on; everything else an SDK may ask for is off by not being listed."""
