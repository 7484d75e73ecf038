"""The REST API: who asks, pages, errors, and its description (OpenAPI)."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["access.rest.policy.ActorAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [
        "access.rest.policy.DeclaredAction",
        "accounts.api.permissions.FreshSession",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["access.rest.policy.RequestRate"],
    "DEFAULT_PAGINATION_CLASS": "common.rest.responses.NewestFirstPagination",
    "DEFAULT_RENDERER_CLASSES": ["common.rest.renderers.StrictJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["access.rest.parsers.BoundedJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "access.openapi.schema.Schema",
    "EXCEPTION_HANDLER": "common.rest.responses.handle_exception",
    "UNAUTHENTICATED_USER": None,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Runyard REST API",
    "DESCRIPTION": (
        "For programs: people, organizations, teams, projects, runs and what they logged.\n\n"
        "**Authentication.** Send an API key as HTTP Basic (user `api`, the key as password) or as a"
        " Bearer token. Without a key, only public data is available. A key with scopes can only do what"
        " its scopes allow. Operators have their rights only with the header `Use-Admin-Privileges:"
        " true`; each use is recorded in the audit log.\n\n"
        "**Pagination.** Lists have `next`, `previous` and `results`; follow `next` until it is null."
        " `per_page` is 1 to 1000, by default 50.\n\n"
        '**Errors** all have the same form: `{"error": {"code", "message", "detail"}}`. Objects you'
        " don’t have access to answer 404, like those that don’t exist; a missing permission on an"
        " object you can see is 403, and the message says why and who can help.\n\n"
        "**Rate limits.** `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` give the"
        " requests per minute, how many are left, and the seconds until the limit resets; 429 has"
        " `Retry-After`.\n\n"
        "**Versions.** Within v1, things are only added: fields in answers, optional parameters,"
        " endpoints, error codes. Programs should ignore what they don’t know. Breaking changes come as"
        " v2, beside v1.\n\n"
        "Times are UTC, ISO 8601. Numbers that JSON cannot represent are the strings `NaN`, `Infinity`"
        " and `-Infinity`."
    ),
    "VERSION": "1.0",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SCHEMA_PATH_PREFIX_INSERT": "",
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "ProductAccessEnum": "teams.models.ProductAccess",
        "VisibilityEnum": "teams.models.Visibility",
        "TeamKindEnum": "teams.api.serializers.KINDS",
        "LevelEnum": "runs.lifecycle.alerts.LEVELS",
        "SweepStateEnum": "sweeps.models.SweepState",
    },
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "PREPROCESSING_HOOKS": ["ingest.api.runs.describe_stream"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "access.openapi.schema.add_refusals",
    ],
    "LICENSE": {"name": "Apache-2.0"},
    "TAGS": [
        {"name": "Me", "description": "The owner of the API key and their preferences."},
        {"name": "API keys", "description": "Your own keys. A new secret is shown only once."},
        {"name": "People", "description": "Colleagues, and people with a public profile."},
        {
            "name": "Organizations",
            "description": "Organizations own teams; their members have a role and product access.",
        },
        {"name": "Teams", "description": "Teams own projects; members have a role in each team."},
        {"name": "Invitations", "description": "Inviting people to teams, and answering invitations."},
        {
            "name": "Roles",
            "description": "What members can do: built-in and custom roles.",
        },
        {
            "name": "Service accounts",
            "description": "Programs of a team or organization, with their own keys.",
        },
        {"name": "Billing", "description": "Plans, usage, storage, payment and invoices."},
        {"name": "Audit", "description": "Who did what, when and from where; for admins of organizations."},
        {
            "name": "Alerts",
            "description": "Which events notify people and teams, where, and webhook secrets.",
        },
        {"name": "Exports", "description": "Archives of everything a team or a person owns."},
        {"name": "Projects", "description": "Collections of runs."},
        {"name": "Runs", "description": "Finding runs, annotating, stopping, deleting, moving them."},
        {"name": "Logging", "description": "Logging runs from programs other than the SDK."},
        {
            "name": "Metrics",
            "description": "Logged history of runs, and system metrics of their machines.",
        },
        {
            "name": "Logs",
            "description": "Console output of runs. Anything that looks like a secret is masked.",
        },
        {"name": "Files", "description": "Files of runs."},
        {
            "name": "Artifacts",
            "description": "Versions of datasets, models and other files, with aliases, links and lineage.",
        },
        {
            "name": "Registries",
            "description": "Registries: versions of artifacts that are linked for others to use, and who is in them.",
        },
        {
            "name": "Sweeps",
            "description": "Searches over the arguments of a program: their configuration, state, agents and trials.",
        },
        {
            "name": "Automations",
            "description": "Automatic actions when runs change or metrics meet conditions, and their history.",
        },
        {
            "name": "Views and charts",
            "description": "Saved views of projects and stored charts of teams.",
        },
    ],
}
