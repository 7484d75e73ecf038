"""Write docs/develop/protocol.md, what is served of the SDK's protocol: `.venv/bin/python -m wandb_api.tests.protocol`.

Everything in it comes from the code and from the installed SDKs; a test fails when the page is out of date.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable

if __name__ == "__main__":  # what is imported below wants the settings
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    import django

    from tests import plugin  # noqa: F401 - gives this process a data folder of its own

    django.setup()

from config.env import ROOT
from tests import sdks
from wandb_api.schema import document_of
from wandb_api.tests.operations import Operation, operations_of
from wandb_api.unsupported.fields import REFUSED, Feature, refusal_of, unknown_field

PAGE = ROOT / "docs" / "develop" / "protocol.md"
NOT_SENT = {
    "Run.internalId": "0.19 asks for it only where `Run` has no `projectId`",
}
"""Fields that an SDK asks of other servers only, having looked what there is: such a form is not sent to us."""
SERVED = "✓"


def sent_by(version: str) -> list[Operation]:
    """Return what a release sends to this server."""
    return [
        operation
        for operation in operations_of(version).operations
        if not NOT_SENT.keys() & {unknown_field(error) for error in document_of(operation.text)[1]}
    ]


def refused(operation: Operation) -> Feature | None:
    """Return the feature for which an operation is refused."""
    return refusal_of(document_of(operation.text)[1])


Row = dict[str, str]
"""SDK → served, or why not."""


def rows() -> dict[tuple[str, str], Row]:
    """Return the table of all operations by name and kind; of one in several forms, a refused form counts."""
    table: dict[tuple[str, str], Row] = defaultdict(dict)
    for version in sdks.versions():
        for operation in sent_by(version):
            feature = refused(operation)
            row = table[operation.name, operation.kind]
            if feature or version not in row:
                row[version] = feature.name.lower() if feature else SERVED
    return dict(sorted(table.items(), key=lambda item: (item[0][0].lower(), item[0])))


def _table(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _operations(table: dict[tuple[str, str], Row], label: str) -> str:
    """Return the table of operations that are served everywhere, or refused for one feature."""
    chosen = {
        name: row
        for name, row in table.items()
        if (set(row.values()) == {SERVED} if label == SERVED else label in row.values())
    }
    body = [
        [f"`{name}`", kind, *(row.get(version, "") for version in sdks.versions())]
        for (name, kind), row in chosen.items()
    ]
    return _table(["operation", "kind", *sdks.versions()], body)


def _counts(table: dict[tuple[str, str], Row]) -> str:
    labels = [SERVED, *(feature.name.lower() for feature in Feature)]
    body = []
    for version in sdks.versions():
        cells = [row[version] for row in table.values() if version in row]
        body.append([version, str(len(cells)), *(str(cells.count(label) or "") for label in labels)])
    return _table(["SDK", "operations", "served", *labels[1:]], body)


def _endpoints() -> str:
    from django.urls import reverse

    from storage.signed_urls import tickets
    from wandb_api.file_stream import endpoint

    stream = endpoint.PATH.pattern
    for name in ("entity", "project", "run"):
        stream = stream.replace("([^/]+)", f"{{{name}}}", 1)
    return _table(
        ["endpoint", "key", "what"],
        [
            [
                f"`POST {reverse('graphql')}`",
                "yes",
                "every operation below; `{query, variables, operationName}`",
            ],
            [f"`POST {stream}`", "yes", "history, system metrics, summary and console of a run, as lines"],
            [
                f"`PUT {tickets.PUT_PATH}{{token}}`",
                "the token",
                "a file; the URL comes from `CreateRunFiles`",
            ],
            [
                f"`GET {tickets.GET_PATH}{{token}}/{{name}}`",
                "the token",
                "a file; the URL comes with each `File`",
            ],
            ["`POST /sdk/otel/v1/{signal}`", "no", "404 to each, so that the SDK sends no telemetry"],
            [
                f"`GET {reverse('accounts:authorize')}`",
                "a session",
                "the page of a browser that shows a key to paste",
            ],
        ],
    )


STATUSES = [
    ("200", "done; with errors, a query of an unknown entity, since that is what all SDKs show", "–"),
    (
        "400 `too_expensive`",
        "more fields, bytes or processor time than one request may cost (`wandb_api.graphql.cost_budget`)",
        "shows it",
    ),
    (
        "400",
        "not GraphQL, off the schema, a refused feature, an impossible value, a deleted run, writing to no entity",
        "shows it",
    ),
    ("401", "no key, or one that does not hold", "shows it"),
    (
        "403",
        "the key may see it, and may not do this; the message says why, and who can help",
        "shows it; up to 0.18, words of its own",
    ),
    ("404", "it is not there, or the key may not see it", "shows it; up to 0.18, words of its own"),
    ("410", "file_stream alone: the run was deleted", "ends the run's stream, keeps its data on disk"),
    ("413", "over a limit; the message names the setting", "shows it"),
    ("500", "a mistake of the server; its log has the traceback", "tries again"),
    ("503", "the database did not answer; nothing was kept", "tries again"),
]


def _flags() -> str:
    from wandb_api.graphql.server_features import FEATURES

    return "".join(f"- `{name}`: {'on' if is_on else 'off'}\n" for name, is_on in sorted(FEATURES.items()))


def _refusals(table: dict[tuple[str, str], Row]) -> str:
    parts = []
    for feature in Feature:
        fields = ", ".join(f"`{field}`" for field in sorted(REFUSED) if REFUSED[field] is feature)
        parts.append(
            f"### {feature.name.capitalize()}\n\n> {feature.value}\n\nFields: {fields}\n\n"
            f"{_operations(table, feature.name.lower())}"
        )
    return "\n".join(parts)


def page() -> str:
    """Return the page."""
    table = rows()
    return f"""# What is served of the SDK's protocol

<!-- Generated from the code and the installed SDKs: .venv/bin/python -m wandb_api.tests.protocol -->

Every GraphQL operation found in the packages of these SDKs (strings of their Python, documents of their Go core) is
checked against the schema (`wandb_api/graphql/*.graphql`). One is either valid, or refused with a message that names
what this version of the server does not do.

{_counts(table)}
## Endpoints

{_endpoints()}
## Statuses

The SDK shows `errors[0].message` of any status but 200. A refusal is 400: no SDK retries it.

{_table(["status", "when", "the SDK"], STATUSES)}
## Features announced

By `serverInfo {{ features }}`; all others are off by not being listed.

{_flags()}
## Served

{_operations(table, SERVED)}
## Refused

A run goes on and finishes whole whatever of this it asks for. `wandb.Api()` raises with the message, but its lists up
to 0.22 say only "400 Client Error". Who brings a feature removes its fields from `wandb_api/unsupported/fields.py`.

In a cell: {SERVED} served, else why not; empty where the SDK has no such operation.

{_refusals(table)}"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page())
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
