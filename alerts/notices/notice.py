"""What every way of sending takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeLine:
    """One run, or one change of an artifact, in a digest."""

    words: str
    """What happened to it."""
    url: str = ""
    text: str = ""
    """What its alerts say, which may have several lines."""
    level: str = "INFO"
    variables: Mapping[str, str] = field(default_factory=dict)
    """As of a notice of this run alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What is to be sent, whatever the way."""

    uid: str
    """The message's, the same in each attempt: peers know repeats by it."""
    title: str
    text: str
    """May have several lines."""
    level: str = "INFO"
    url: str = ""
    """Where it leads."""
    fields: tuple[tuple[str, str], ...] = ()
    """Label and value: state, duration, last values of the summary."""
    lines: tuple[NoticeLine, ...] = ()
    """The runs or changes of a digest, the most urgent first; `alerts.notices.digests` says how many are shown."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """For payload templates: event_type, entity_name, project_name, run_id, ...; of a digest what is alike for all."""
    payload: str = ""
    """A template of its own, of an automation; "" takes the destination's."""
    is_repeat: bool = False
    """Whether an attempt before this one may have arrived."""
    mention: str = ""
    """Whom Slack names, as Slack's id; "" takes the destination's."""
