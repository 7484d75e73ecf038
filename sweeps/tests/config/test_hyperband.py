"""The iterations at which runs are compared (RUN-50)."""

import pytest

from common.errors import Invalid
from sweeps.config.document import read_config


def read(rule):
    return read_config(
        f"method: random\nmetric: {{name: loss}}\nearly_terminate: {rule}\nparameters: {{x: {{values: [1, 2]}}}}"
    ).early_terminate


@pytest.mark.parametrize(
    ("rule", "first", "count"),
    [
        ("{type: hyperband, min_iter: 3}", (3, 9, 27, 81), 33),
        ("{type: hyperband, min_iter: 2, eta: 2}", (2, 4, 8, 16), 53),
        ("{type: hyperband, min_iter: 1, eta: 1.5}", (1, 2, 3, 5, 7), 90),
        ("{type: hyperband, min_iter: 3, max_iter: 27}", (3, 9, 27), 3),
        ("{type: hyperband, min_iter: 5, eta: 1.0001}", (5,), 1),
        ("{type: hyperband, max_iter: 27, s: 2}", (3, 9), 2),
        ("{type: hyperband, max_iter: 27, s: 9}", (1, 3, 9), 3),
        ("{type: hyperband, max_iter: 100, s: 3, eta: 2}", (12, 25, 50), 3),
        ("{type: hyperband, max_iter: 27, min_iter: 2, s: 1}", (9,), 1),
        ("{type: hyperband, max_iter: 1000000, s: 1000000000, eta: 1.0000001}", (999990,), 10),
    ],
)
def test_rungs_ascend_by_eta(rule, first, count):
    """RUN-50."""
    rungs = read(rule).rungs()
    assert rungs[: len(first)] == first
    assert len(rungs) == count
    assert list(rungs) == sorted(set(rungs))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("hyperband", "early_terminate: must be a mapping."),
        ("{min_iter: 3}", "early_terminate.type: must be one of hyperband."),
        ("{type: envelope, min_iter: 3}", "early_terminate.type: must be one of hyperband."),
        ("{type: hyperband}", "early_terminate: needs min_iter, or max_iter and s."),
        ("{type: hyperband, max_iter: 3}", "early_terminate: needs min_iter, or max_iter and s."),
        ("{type: hyperband, min_iter: 0}", "early_terminate.min_iter: must be at least 1."),
        ("{type: hyperband, max_iter: 27, s: 0}", "early_terminate.s: must be at least 1."),
        ("{type: hyperband, max_iter: 27, s: 1.5}", "early_terminate.s: must be a whole number."),
        ("{type: hyperband, min_iter: 3, eta: 1}", "early_terminate.eta: must be greater than 1."),
        ("{type: hyperband, min_iter: 3, strict: 1}", "early_terminate.strict: must be true or false."),
        (
            "{type: hyperband, max_iter: 2, s: 2}",
            "early_terminate: yields no iteration at which runs are compared; raise max_iter or lower eta.",
        ),
        (
            "{type: hyperband, min_iter: 3, top: 1}",
            "early_terminate.top: is unknown here. Available: type, min_iter, max_iter, s, eta, strict.",
        ),
    ],
)
def test_a_rule_that_compares_nothing_is_refused(rule, said):
    """RUN-50."""
    with pytest.raises(Invalid) as raised:
        read(rule)
    assert raised.value.message == said
