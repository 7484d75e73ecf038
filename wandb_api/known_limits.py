"""What is limited of GraphQL requests."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from access.limits.registry import Limit, LimitGroup, LimitUnit, register_limits
from accounts.known_limits import SENT_AGAIN, requests_of
from wandb_api.graphql import limit_values as limits


def register() -> None:
    """Tell the page of limits."""
    stopped = _("The request fails with an error; request less at once.")
    refused = _("The document is rejected; split the request.")
    requests = LimitGroup.REQUESTS
    register_limits(
        Limit(
            "graphql.requests", requests, _("GraphQL requests (from SDKs) of an account"),
            lambda: settings.GRAPHQL_RATE, SENT_AGAIN, LimitUnit.PER_MINUTE, "RUNYARD_GRAPHQL_RATE",
            requests_of("graphql"),
        ),
        Limit(
            "graphql.seconds", requests, _("Processor time of a GraphQL request"), lambda: settings.GRAPHQL_MAX_S,
            stopped, LimitUnit.SECONDS, "RUNYARD_GRAPHQL_MAX_S",
        ),
        Limit(
            "graphql.fields", requests, _("Fields resolved by a GraphQL request"),
            lambda: settings.GRAPHQL_MAX_FIELDS, stopped, setting="RUNYARD_GRAPHQL_MAX_FIELDS",
        ),
        Limit(
            "graphql.answer_bytes", requests, _("Values read and returned by a GraphQL request"),
            lambda: settings.GRAPHQL_MAX_ANSWER_BYTES, stopped, LimitUnit.BYTES, "RUNYARD_GRAPHQL_MAX_ANSWER_MIB",
        ),
        Limit(
            "graphql.history_specs", requests, _("Specs of a run’s `sampledHistory`"), lambda: limits.MAX_SPECS,
            _("The field is refused; ask in parts."),
        ),
        Limit(
            "graphql.compared_metadata", requests, _("Versions whose metadata a GraphQL filter compares"),
            lambda: limits.MAX_COMPARED_METADATA, stopped,
        ),
        Limit(
            "requests.bytes", requests, _("A request to GraphQL"),
            lambda: settings.GRAPHQL_MAX_BYTES, _("Returns 413; send less at once."),
            LimitUnit.BYTES, "RUNYARD_GRAPHQL_MAX_MIB",
        ),
        Limit(
            "graphql.document_fields", requests, _("Fields of a GraphQL document"), lambda: limits.MAX_FIELDS, refused,
        ),
        Limit(
            "graphql.document_levels", requests, _("Levels of a GraphQL document"), lambda: limits.MAX_DEPTH, refused,
        ),
        Limit(
            "graphql.document", requests, _("A GraphQL document"), lambda: limits.MAX_CHARACTERS, refused,
            LimitUnit.CHARACTERS,
        ),
    )  # fmt: skip
