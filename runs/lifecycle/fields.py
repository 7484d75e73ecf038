"""What clients and people say of a run: its words, tags and configuration, checked before they are stored."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from common.errors import Invalid
from common.formats.lenient_json import clean_text
from runs.config.flatten import flat_config
from runs.config.redaction import REDACTED, redacted_columns, redacted_config
from runs.config.width import excess_of_text
from runs.models import Run
from runs.secrets.documents import unmasked
from runs.secrets.masking import mask

MAX_LENGTHS = {
    "display_name": 128, "group": 256, "job_type": 256, "host": 256, "program": 1024, "git_remote": 1024,
    "git_commit": 64, "notes": 1_000_000, "description": 1_000_000, "sweep": 16,
}  # fmt: skip
MAX_TAGS, MAX_TAG = 1000, 256


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFields:
    """What a client says of a run; None leaves a field unchanged."""

    display_name: str | None = None
    notes: str | None = None
    description: str | None = None
    tags: list[str] | None = None
    group: str | None = None
    job_type: str | None = None
    host: str | None = None
    program: str | None = None
    git_remote: str | None = None
    git_commit: str | None = None
    config_text: str | None = None
    summary_text: str | None = None
    sweep: str | None = None
    """The ID of a sweep of the run's project; who gives it has looked that there is one."""


def apply_fields(run: Run, fields: RunFields) -> list[str]:
    """Set what is given; return the names of changed columns.

    Raises:
        Invalid: over a limit, or config that is not a JSON object.
    """
    changed: list[str] = []
    redacted = redacted_columns(run.redacted_keys)
    for name, limit in MAX_LENGTHS.items():
        value = getattr(fields, name)
        if value is None:
            continue
        if len(value) > limit:
            raise Invalid(
                _("%(field)s can have at most %(limit)s characters; this one has %(count)s.")
                % {"field": name.replace("_", " "), "count": len(value), "limit": limit}
            )
        setattr(run, name, REDACTED if name in redacted else clean_text(value))
        changed.append(name)
    changed += _mask_texts(run, changed)
    if fields.tags is not None:
        if len(fields.tags) > MAX_TAGS or any(len(tag) > MAX_TAG for tag in fields.tags):
            raise Invalid(
                _("A run can have at most %(max_tags)s tags of at most %(max_tag)s characters.")
                % {"max_tags": MAX_TAGS, "max_tag": MAX_TAG}
            )
        run.tags = list(dict.fromkeys(clean_text(tag) for tag in fields.tags))
        changed.append("tags")
    if fields.config_text is not None:
        reason = excess_of_text(fields.config_text)
        if reason:
            raise Invalid(f"config has {reason}.")
        try:
            config = redacted_config(unmasked(fields.config_text, run.config_text), run.redacted_keys)
            run.config_flat = flat_config(config)
        except ValueError as error:
            raise Invalid(f"config is not a JSON object: {error}") from None
        run.config_text = clean_text(config)
        changed += ["config_text", "config_flat"]
    return changed


def _mask_texts(run: Run, changed: Collection[str]) -> list[str]:
    """Keep what filters may read of changed texts; return the names of the columns."""
    texts = [name for name in ("notes", "description") if name in changed]
    for name in texts:
        shown = mask(getattr(run, name))
        setattr(run, f"masked_{name}", shown if shown != getattr(run, name) else "")
    return [f"masked_{name}" for name in texts]
