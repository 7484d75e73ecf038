"""The REST API: who asks, pages, errors, and its description (OpenAPI)."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["access.rest_policy.ActorAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["access.rest_policy.DeclaredAction", "accounts.rest_policy.FreshSession"],
    "DEFAULT_THROTTLE_CLASSES": ["access.rest_policy.RequestRate"],
    "DEFAULT_PAGINATION_CLASS": "common.rest.Pages",
    "DEFAULT_RENDERER_CLASSES": ["common.rest_rendering.StrictJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["common.rest_parsing.ShallowJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "access.openapi.Schema",
    "EXCEPTION_HANDLER": "common.rest.handle_exception",
    "UNAUTHENTICATED_USER": None,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Runyard REST API",
    "DESCRIPTION": (
        "For programs: people, organizations, teams, projects, runs and what they logged.\n\n"
        "**Who asks.** Send an API key as HTTP Basic (user `api`, password the key) or as a Bearer token. Without"
        " one, what is public is answered. A key with scopes reaches no further than they do. Operators have their"
        " rights only with the header `Use-Admin-Privileges: true`; each use is in the audit log.\n\n"
        "**Pages.** Lists have `next`, `previous` and `results`; follow `next` until it is null. `per_page` is 1 to"
        " 1000, 50 unless given.\n\n"
        '**Refusals** all look alike: `{"error": {"code", "message", "detail"}}`. What may not be seen is 404, like'
        " what is not there; what is seen but not allowed is 403, and the message says why and who can help.\n\n"
        "**Rates.** `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` say how many requests a minute there"
        " are, how many are left, and in how many seconds all are there again; 429 has `Retry-After`.\n\n"
        "**Versions.** Within v1 things are only added: fields in answers, optional parameters, endpoints, error codes."
        " Programs leave out what they do not know. What would break one comes as v2, beside v1.\n\n"
        "Times are UTC, ISO 8601. Numbers that JSON cannot have are the texts `NaN`, `Infinity` and `-Infinity`."
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
        "TeamKindEnum": "teams.api.shapes.KINDS",
        "LevelEnum": "runs.services.alerts.LEVELS",
    },
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "PREPROCESSING_HOOKS": ["ingest.api.describe_stream"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "access.openapi.add_refusals",
    ],
    "LICENSE": {"name": "Apache-2.0"},
    "TAGS": [
        {"name": "Me", "description": "Who the API key belongs to, and what they choose for themselves."},
        {"name": "API keys", "description": "One's own keys. A new secret is shown once."},
        {"name": "People", "description": "Colleagues, and people who tell something on their page."},
        {
            "name": "Organizations",
            "description": "They own teams; members have a role and access to products there.",
        },
        {"name": "Teams", "description": "They own projects; members have a role in each team."},
        {"name": "Invitations", "description": "Asking people into teams, and answering."},
        {
            "name": "Roles",
            "description": "What members may: built-in roles, and those that organizations define.",
        },
        {
            "name": "Service accounts",
            "description": "Programs with keys of their own, of a team or organization.",
        },
        {"name": "Billing", "description": "Plans, what is used and kept, payment and invoices."},
        {"name": "Audit", "description": "Who did what, when and from where; for admins of organizations."},
        {
            "name": "Alerts",
            "description": "What people and teams are told of, where it goes, and the secrets that webhooks use.",
        },
        {"name": "Exports", "description": "Archives of all that a team or a person owns."},
        {"name": "Projects", "description": "Collections of runs."},
        {"name": "Runs", "description": "Finding runs, annotating, stopping, deleting, moving them."},
        {"name": "Logging", "description": "Sending what runs log, from programs other than the SDK."},
        {
            "name": "Metrics",
            "description": "What runs logged step by step, and what their machines measured.",
        },
        {"name": "Logs", "description": "The console of runs. What looks like a secret is masked."},
        {"name": "Files", "description": "Files of runs."},
        {
            "name": "Automations",
            "description": "What is done by itself when runs change or metrics meet conditions, and its outcome.",
        },
        {
            "name": "Views and charts",
            "description": "Saved views of projects, charts that teams have stored.",
        },
    ],
}
