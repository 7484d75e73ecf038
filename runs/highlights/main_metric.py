"""Which of a run's metrics stands for it where there is space for one, and whether more of it is better."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from runs.config.metric_definitions import MAXIMIZE, MINIMIZE

_ENDS = re.compile(r"\.(min|max|mean|best|last|first)$")
_VALIDATION = re.compile(
    r"(?:^|[/._-])(?:val|valid|validation|eval|evaluation|test|dev)(?:$|[/._-])", re.IGNORECASE
)
_TRAINING = re.compile(r"(?:^|[/._-])train(?:ing)?(?:$|[/._-])", re.IGNORECASE)
_SCORE = re.compile(
    r"(?:^|[/._-])(?:acc(?:uracy)?|f1|auc|auroc|m?ap|m?iou|dice|bleu|rouge|psnr|ssim|reward|returns?|score|success|"
    r"precision|recall|r2|elo|win_?rate|exact_match)",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"(?:^|[/._-])(?:\w*loss|err(?:or)?|perplexity|ppl|mse|mae|rmse|wer|cer|fid|nll|bpb|bpc|kl|divergence|regret)(?:$|[/._-])",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    r"(?:^|[/._-])(?:\w*step|\w*epoch|iter(?:ation)?s?|lr|learning_?rate|batch(?:_size)?|\w*time|runtime|tokens|samples|"
    r"examples|\w*per_sec(?:ond)?|fps|mfu|grad(?:ient)?_?norm|length)(?:$|[/._-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MainMetric:
    """One metric of a run."""

    key: str
    """In its history."""
    column: str
    """In its summary, which may hold the best value instead of the last: ``val/accuracy.max``."""
    goal: str
    """`MAXIMIZE` or `MINIMIZE`."""

    @property
    def is_maximized(self) -> bool:
        """Whether more is better."""
        return self.goal == MAXIMIZE


def main_metric(summaries: Iterable[Mapping[str, Any]]) -> MainMetric | None:
    """Return the metric that people look at first in runs with these flat summaries, None where they have none."""
    return next(iter(main_metrics(summaries, 1)), None)


def main_metrics(summaries: Iterable[Mapping[str, Any]], limit: int) -> list[MainMetric]:
    """Return the metrics that people look at first, no two of one key.

    What is measured on data kept apart comes before what is trained on, scores before losses; what only tells how far
    a run is never stands for it.
    """
    columns = dict.fromkeys(
        column for summary in summaries for column, value in summary.items() if _is_number(value)
    )
    ranked = sorted((column for column in columns if not _is_internal(column)), key=_rank)
    by_key: dict[str, MainMetric] = {}
    for one in map(_metric, ranked):
        by_key.setdefault(one.key, one)
    return list(by_key.values())[:limit]


def _metric(column: str) -> MainMetric:
    end = _ENDS.search(column)
    goal = {"min": MINIMIZE, "max": MAXIMIZE}.get(end[1] if end else "") or goal_of(column)
    return MainMetric(column[: end.start()] if end else column, column, goal)


def goal_of(column: str) -> str:
    """Return which direction is better by the name of a metric: less of a loss, more of anything else."""
    return MINIMIZE if _ERROR.search(column) and not _SCORE.search(column) else MAXIMIZE


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_internal(column: str) -> bool:
    """Say whether it is the SDK's own, a part of a media file, or progress."""
    is_media = column.rpartition(".")[2] in {"width", "height", "count", "size", "nrows", "ncols"}
    return column.startswith(("_", "system/", "system.")) or is_media or bool(_PROGRESS.search(column))


def _rank(column: str) -> tuple[int, int]:
    data = 0 if _VALIDATION.search(column) else 2 if _TRAINING.search(column) else 1
    kind = 0 if _SCORE.search(column) else 1 if _ERROR.search(column) else 2
    return (3, data) if kind == 2 else (data, kind)
