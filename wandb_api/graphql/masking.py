"""What a run's readers get of texts in which secrets may be; asked once for all runs that an answer lists."""

from typing import Any

from runs.secrets.documents import masked_json
from runs.secrets.masking import mask
from runs.secrets.readers import unmasked_run_ids
from wandb_api.graphql.context import Info


def reads_exactly(run: dict[str, Any], info: Info) -> bool:
    """Say whether the run's secrets are answered as they were logged."""
    return run["row"].pk in run["siblings"].ask(unmasked_run_ids, info.context.actor)


def shown_json(run: dict[str, Any], info: Info, text: str) -> str:
    """Return a JSON text of the run."""
    return text if reads_exactly(run, info) else masked_json(text)


def shown_text(run: dict[str, Any], info: Info, text: str) -> str:
    """Return another text of the run."""
    return text if not text or reads_exactly(run, info) else mask(text)
