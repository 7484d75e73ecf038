"""Runs that several processes write to beside each other (the SDK's shared mode): what each sent becomes one whole.

A process sends all of its own configuration again and again, and knows nothing of the others'. So what each sent last
is kept (`RunWriter`), the run has the union, and only what changed in the union changes in the run: what people edited
meanwhile stays.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from common.formats.lenient_json import clean_text, read_lenient
from runs.config.flatten import environments_in, sdk_part
from runs.config.metric_definitions import joined_records
from runs.config.redaction import redacted_config
from runs.config.width import excess_of_text
from runs.lifecycle.fields import MAX_LENGTHS, RunFields
from runs.models import Run, RunWriter
from runs.secrets.documents import unmasked

MAX_WRITERS = 100
"""Of whom a run keeps what they sent; those before them become one."""
_FOLDED = "earlier writers"
"""An ID that no client makes."""
_Tree = dict[str, Any]


def add_first_writer(run: Run, writer: str) -> None:
    """Note who began a run; nothing where its client gives no ID."""
    if writer:
        _row_of_run(run, writer).save()


def joined_fields(run: Run, writer: str, fields: RunFields) -> tuple[RunFields, bool]:
    """Return what a locked run is to have once a writer has sent its fields, and whether the run's state follows it.

    Where that cannot be said, because the configuration is none, the fields come back, to be refused.
    """
    text = fields.config_text or "{}"
    try:
        if excess_of_text(text) or not isinstance(read_lenient(text), dict):
            return fields, True
    except ValueError:
        return fields, True
    rows = list(run.writers.all())
    if not rows:
        rows.append(_row_of_run(run, ""))
        rows[0].save()
    before, others = _union(rows), [row for row in rows if row.writer != writer]
    own = next((row for row in rows if row.writer == writer), None)
    if own is None:
        own = RunWriter(run=run, writer=writer)
        rows.append(own)
        if any(row.is_primary for row in others):  # a secondary's words do not replace the primary's
            fields = replace(fields, **{name: None for name in MAX_LENGTHS if getattr(run, name)})
    if fields.tags is not None:
        left = set(own.tags) - {tag for row in others for tag in row.tags} - set(fields.tags)
        own.tags = [clean_text(tag) for tag in fields.tags]
        fields = replace(fields, tags=[tag for tag in run.tags if tag not in left] + own.tags)
    if fields.config_text is not None:
        own.config_text = clean_text(redacted_config(unmasked(text, run.config_text), run.redacted_keys))
        own.is_primary = own.is_primary or _describes_machine(own.config_text)
    own.save()
    if fields.config_text is not None:
        fields = replace(fields, config_text=_changed(run.config_text, before, _union(rows)))
    leads = own.is_primary or (own is rows[0] and not any(row.is_primary for row in others))
    _fold(rows, own)
    return fields, leads and not own.has_ended


def note_end(run_id: int, writer: str) -> bool:
    """Note that a writer ended; say whether its run ends with it."""
    rows = list(RunWriter.objects.filter(run_id=run_id).defer("config_text", "tags"))
    own = next((row for row in rows if row.writer == writer), None)
    if own is None:
        return True
    own.has_ended = True
    own.save(update_fields=["has_ended"])
    primaries = [row for row in rows if row.is_primary] or rows[:1]
    return own in primaries


def _row_of_run(run: Run, writer: str) -> RunWriter:
    return RunWriter(
        run=run,
        writer=writer,
        config_text=run.config_text,
        tags=run.tags,
        is_primary=_describes_machine(run.config_text),
    )


def _describes_machine(config_text: str) -> bool:
    return bool(environments_in(sdk_part(config_text)))


def _tree(text: str) -> _Tree:
    tree = read_lenient(text)
    return tree if isinstance(tree, dict) else {}


def _union(rows: Sequence[RunWriter]) -> _Tree:
    """Join what writers sent; of equal keys that of the newest primary counts, else that of the first who sent it."""
    whole: _Tree = {}
    for row in sorted(rows, key=lambda row: (not row.is_primary, -row.pk if row.is_primary else row.pk)):
        whole = _joined(whole, _tree(row.config_text))
    return whole


def _joined(first: _Tree, other: _Tree, path: tuple[str, ...] = ()) -> _Tree:
    whole = dict(first)
    for key, value in other.items():
        here = (*path, key)
        known = whole.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            whole[key] = _joined(known, value, here)
        elif here == ("_wandb", "value", "m") and isinstance(known, list) and isinstance(value, list):
            whole[key] = joined_records(known, value)
        elif key not in whole:
            whole[key] = value
    return whole


def _changed(config_text: str, before: _Tree, after: _Tree) -> str:
    """Return a run's configuration with what changed in the union of its writers'."""
    config = _tree(config_text)
    for key in before.keys() - after.keys():
        config.pop(key, None)
    config |= {key: value for key, value in after.items() if key not in before or before[key] != value}
    return json.dumps(config)


def _fold(rows: Sequence[RunWriter], own: RunWriter) -> None:
    """Make one of the two oldest writers if there are too many; secondary ones first."""
    if len(rows) <= MAX_WRITERS:
        return
    others = sorted((row for row in rows if row is not own), key=lambda row: (row.is_primary, row.pk))
    kept, old = others[:2]
    kept.writer = _FOLDED
    kept.config_text = json.dumps(_union([kept, old]))
    kept.tags = [*kept.tags, *(tag for tag in old.tags if tag not in kept.tags)]
    kept.save()
    old.delete()
