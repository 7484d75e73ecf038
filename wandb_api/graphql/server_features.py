"""What this server can do, by the names that SDKs ask for (protocol 2.5)."""

FEATURES = {
    "ARTIFACT_COLLECTIONS_FILTERING_SORTING": True,
    "ARTIFACT_COLLECTION_MEMBERSHIP_FILES": True,
    "ARTIFACT_COLLECTION_MEMBERSHIP_FILE_DOWNLOAD_HANDLER": True,
    "ARTIFACT_MEMBERSHIP_IN_LINK_ARTIFACT_RESPONSE": True,
    "ARTIFACT_REGISTRY_SEARCH": True,
    "ARTIFACT_TAGS": True,
    "AUTOMATION_ACTION_NO_OP": True,
    "AUTOMATION_EVENT_ADD_ARTIFACT_TAG": True,
    "AUTOMATION_EVENT_ADD_COLLECTION_TAG": True,
    "AUTOMATION_EVENT_REMOVE_ARTIFACT_TAG": True,
    "AUTOMATION_EVENT_REMOVE_COLLECTION_TAG": True,
    "AUTOMATION_EVENT_RUN_METRIC": True,
    "AUTOMATION_EVENT_RUN_METRIC_CHANGE": True,
    "AUTOMATION_EVENT_RUN_METRIC_ZSCORE": True,
    "AUTOMATION_EVENT_RUN_STATE": True,
    "AUTOMATION_EVENT_UNLINK_ARTIFACT": True,
    "AUTOMATION_SCOPE_ENTITY": True,
    "CLIENT_IDS": True,
    "FILESTREAM_GZIP": True,
    "INCLUDE_ARTIFACT_TYPES_IN_REGISTRY_CREATION": True,
    "MARK_RUN_FILES_UPLOADED": True,
    "PROJECT_ARTIFACT_COLLECTION_MEMBERSHIP": True,
    "QUERY_AUTOMATIONS_ON_ENTITY": True,
    "SWEEPS_QUERY_FILTERING": True,
    "TOTAL_COUNT_IN_FILE_CONNECTION": True,
    "UPDATE_RUN_STATE": True,
    "USE_ARTIFACT_WITH_ENTITY_AND_PROJECT_INFORMATION": True,
}
"""What is on; everything else an SDK may ask for is off by not being listed."""

NOT_HERE = {
    "SERVER_FEATURE_UNSPECIFIED": "the enum's own zero",
    "ARTIFACT_DIGEST_ALGORITHM": "digests of manifests are MD5 alone",
    "ARTIFACT_V2_DOWNLOAD_HANDLER_SUPPORTS_ARTIFACT_ID": "the address without the artifact's ID leads to the same file",
    "AUTOMATIONS_ON_ORGANIZATION": "an automation watches a team at most",
    "AUTOMATIONS_ON_USER": "an automation watches a team at most",
    "AUTOMATION_ACTION_ARIA": "there is no ARIA",
    "AUTOMATION_ACTION_PUSH_NOTIFICATION": "nothing sends push notifications",
    "AUTOMATION_LAST_EXECUTED_AT": "no released SDK asks when an automation last acted",
    "EVAL_TABLES_CES": "there is no service of evaluations",
    "LARGE_FILENAMES": "no released SDK asks for it",
    "STRUCTURED_CONSOLE_LOGS": "lines of the console would be stored as JSON",
    "SWEEPS_LOCAL_SCHEDULER": "the server chooses the arguments of runs",
}
"""What SDKs know of and this server does not announce, and why; a test finds what is in neither."""
