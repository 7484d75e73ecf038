"""What the name of a metric tells where no script said it: how much it matters, and which direction is better."""

import re

from runs.config.metric_definitions import MAXIMIZE, MINIMIZE

_PARTS = re.compile(r"[^a-z0-9]+")

_COUNTERS = frozenset({
    "epoch", "epochs", "step", "steps", "iter", "iteration", "iterations", "batch", "lr", "learning", "momentum",
    "timestamp", "progress", "update", "updates", "seen",
})  # fmt: skip
_HELD_OUT = frozenset({"val", "valid", "validation", "eval", "evaluation", "test", "dev"})
_TRAINED = frozenset({"train", "training"})
_FALLING = frozenset({
    "loss", "losses", "error", "err", "perplexity", "ppl", "fid", "kid", "mse", "rmse", "mae", "mape", "nll", "wer",
    "cer", "bpb", "bpc", "lpips", "eer", "latency", "bce", "elbo_loss", "cost", "regret", "distance",
})  # fmt: skip
_RISING = frozenset({
    "acc", "accuracy", "top1", "top5", "f1", "auc", "auroc", "map", "iou", "miou", "dice", "precision", "recall",
    "reward", "rewards", "return", "score", "psnr", "ssim", "bleu", "rouge", "r2", "success", "sensitivity",
    "specificity", "mcc", "ndcg", "mrr", "throughput",
})  # fmt: skip
_UNRELATED = frozenset({"scale", "weight", "norm", "std", "var", "count", "coef"})
"""What makes another quantity of a metric, such as a loss's scale."""

COUNTER_RANK = 9


def _split(key: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a key, and those of what follows its last slash."""
    text = key.lower()
    own = text.rpartition("/")[2]
    return frozenset(_PARTS.split(text)), frozenset(_PARTS.split(own))


def rank_of(key: str) -> int:
    """Return the order in which people look at metrics: held-out ones, other results, the rest, counters at last."""
    words, own = _split(key)
    if own & _COUNTERS and not own & (_FALLING | _RISING):
        return COUNTER_RANK
    is_result = bool(own & (_FALLING | _RISING))
    if words & _HELD_OUT:
        return 0 if is_result else 2
    if words & _TRAINED:
        return 3 if is_result else 4
    return 1 if is_result else 4


def goal_by_name(key: str) -> str:
    """Return `MINIMIZE` or `MAXIMIZE` where the name leaves no doubt, else ""."""
    _words, own = _split(key)
    if own & _UNRELATED:
        return ""
    falls, rises = bool(own & _FALLING), bool(own & _RISING)
    if falls:  # "accuracy_loss" and "score_error" fall
        return MINIMIZE
    return MAXIMIZE if rises else ""
