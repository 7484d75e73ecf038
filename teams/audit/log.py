"""Reading the audit log: admins read their organization's, operators read all of it (BIL-11).

Pages go by time and key, never by number: nothing is counted and nothing is skipped, however long the log is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.dateparse import parse_date
from django.utils.translation import gettext

from access.actor import Actor
from access.audit.values import Change, Values
from access.audit.words import groups, kind_of, links_of, words_of
from access.engine import has_operator_rights, visible
from access.models import AuditEntry
from accounts.models import ApiKey
from common.errors import Forbidden
from common.formats.numbers import parse_int
from teams.access import OrganizationAction
from teams.models import Organization, Team
from teams.plan_policy import denied_message, has_feature, organizations_with

PAGE = 50
CHUNK = 1000
"""Entries that an export reads at a time."""
_MOST_TEXT = 200


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries to show; "" and None do not narrow."""

    person: str = ""
    """Username of who acted."""
    action: str = ""
    """An action, or ``key.*`` for a group of `access.audit.words`."""
    kind: str = ""
    """Label of a model."""
    team: str = ""
    address: str = ""
    text: str = ""
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "AuditFilter":
        """Read a page's query string; what makes no sense is left out. Days are whole ones in UTC."""
        last = _day(query.get("until", ""))
        return cls(
            **{name: _text(query, name) for name in ("person", "action", "kind", "team", "address")},
            text=_text(query, "q"),
            since=_day(query.get("since", "")),
            until=last + timedelta(days=1) if last else None,
        )

    @property
    def last_day(self) -> datetime | None:
        """The last day that is shown."""
        return self.until - timedelta(days=1) if self.until else None

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return self == AuditFilter()


def _text(query: Mapping[str, str], name: str) -> str:
    return query.get(name, "").replace("\x00", "").strip()[:_MOST_TEXT]


def _day(text: str) -> datetime | None:
    try:
        day = parse_date(text)
    except ValueError:  # a thirteenth month
        return None
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day and 1 < day.year < 9999 else None


FEATURE = "audit_log"


def includes_log(actor: Actor, organization: Organization) -> bool:
    """Say whether the plan of an organization lets its admins read the log, which is written anyway; operators may."""
    return has_operator_rights(actor) or has_feature(organization, FEATURE)


def require_log(actor: Actor, organization: Organization | None) -> None:
    """Let pass whoever reads everything they may, or an organization's log that its plan includes.

    Raises:
        Forbidden: it does not; the message says who can change that.
    """
    if organization is not None and not includes_log(actor, organization):
        message = gettext("The plan of %(organization)s does not include the audit log.")
        denied = denied_message(message % {"organization": organization}, organization)
        raise Forbidden(denied, action=OrganizationAction.VIEW_AUDIT)


def _by_plan(actor: Actor, organization: Organization | None) -> Q:
    """Return a condition on entries: their organization's plan includes the log."""
    if has_operator_rights(actor):
        return Q()
    if organization is not None:
        keys = [organization.pk]
    else:
        seen = visible(actor, OrganizationAction.VIEW_AUDIT, Organization.objects.all())
        keys = list(seen.values_list("pk", flat=True))
    return Q(organization_id__in=organizations_with(keys, FEATURE))


def matching(
    actor: Actor, given: AuditFilter, organization: Organization | None = None
) -> QuerySet[AuditEntry]:
    """Return the entries that the actor may read, newest first; of one organization if it is given."""
    rows = visible(actor, OrganizationAction.VIEW_AUDIT, AuditEntry.objects.all())
    if organization is not None:
        rows = rows.filter(organization_id=organization.pk)
    rows = rows.filter(_by_plan(actor, organization))
    plain = {
        "actor_name": given.person, "object_type": given.kind, "address": given.address,
        "at__gte": given.since, "at__lt": given.until,
    }  # fmt: skip
    rows = rows.filter(**{path: value for path, value in plain.items() if value})
    if given.action:
        rows = rows.filter(action__in=_actions(given.action))
    if given.team:
        rows = rows.filter(
            team_id__in=list(Team.objects.filter(name=given.team).values_list("pk", flat=True))
        )
    return _with_words(rows, given.text).order_by("-at", "-pk")


def _actions(named: str) -> list[str]:
    key, star, rest = named.partition(".*")
    return list(groups()[key].actions) if star and not rest and key in groups() else [named]


def _with_words(rows: QuerySet[AuditEntry], text: str) -> QuerySet[AuditEntry]:
    """Keep entries in which each word is: in who, what or the thing's name, or in what changed."""
    words = text.split()
    if not words:
        return rows
    rows = rows.alias(before_text=Cast("before", TextField()), after_text=Cast("after", TextField()))
    for word in words:
        named = [
            action
            for group in groups().values()
            for action, words_for in group.actions.items()
            if word.lower() in str(words_for).lower()
        ]
        columns = ("actor_name", "action", "object_name", "before_text", "after_text")
        either = Q(action__in=named)
        for column in columns:
            either |= Q(**{f"{column}__icontains": word})
        rows = rows.filter(either)
    return rows


def after(rows: QuerySet[AuditEntry], cursor: str) -> QuerySet[AuditEntry]:
    """Keep what comes after the entry that a cursor names; a cursor that nobody gave is left out."""
    at_text, _, pk_text = cursor.partition("-")
    micros, pk = parse_int(at_text), parse_int(pk_text)
    if micros is None or pk is None:
        return rows
    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    except OverflowError:
        return rows
    # the first condition alone lets the index be entered at the place
    return rows.filter(at__lte=at).filter(Q(at__lt=at) | Q(pk__lt=pk))


def cursor_of(entry: AuditEntry) -> str:
    """Return what names an entry's place."""
    return f"{(entry.at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)}-{entry.pk}"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An entry as people read it."""

    entry: AuditEntry
    words: str
    kind: str
    url: str
    """Of the thing, "" when it is gone or not to be seen."""
    key: str
    """The visible beginning of the API key that was used, "" for none."""
    team: str
    organization: str
    values: Values

    @property
    def changes(self) -> list[Change]:
        """What it changed, in words; read only where people read it."""
        return self.values.changes_of(self.entry)


def audit_lines(actor: Actor, entries: Sequence[AuditEntry]) -> list[AuditLine]:
    """Return entries with what they name: one query for each kind of thing there is."""
    teams = _names(Team.objects.all(), {entry.team_id for entry in entries})
    organizations = _names(Organization.objects.all(), {entry.organization_id for entry in entries})
    used = {entry.key_id for entry in entries if entry.key_id is not None}
    keys = dict(ApiKey.objects.filter(pk__in=used).values_list("pk", "prefix"))
    urls, values = links_of(actor, entries), Values()
    return [
        AuditLine(
            entry=entry,
            words=str(words_of(entry.action)),
            kind=str(kind_of(entry.object_type)),
            url=urls.get((entry.object_type, entry.object_id), ""),
            key="" if entry.key_id is None else f"ry-{keys.get(entry.key_id, '')}…",
            team=teams.get(entry.team_id or 0, ""),
            organization=organizations.get(entry.organization_id or 0, ""),
            values=values,
        )
        for entry in entries
    ]


def _names(rows: "QuerySet[Team] | QuerySet[Organization]", pks: set[int | None]) -> dict[int, str]:
    return dict(rows.filter(pk__in=[pk for pk in pks if pk is not None]).values_list("pk", "name"))


def chunks(actor: Actor, rows: QuerySet[AuditEntry]) -> Iterator[list[AuditLine]]:
    """Yield everything that matches, a chunk at a time: what an export holds in memory."""
    rest = rows
    while entries := list(rest[:CHUNK]):
        yield audit_lines(actor, entries)
        rest = after(rows, cursor_of(entries[-1]))
