"""Ending runs early, by Hyperband's rule.

Source: the package ``sweeps`` 0.2.0, hyperband_stopping.py.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from sweeps.config.section import Section

_MOST_RUNGS = 100
_FARTHEST = 2**53
"""No run logs as many rows."""


@dataclass(frozen=True, slots=True)
class Hyperband:
    """At which iterations runs are compared, and what share (1/eta) goes on.

    Either ``min_iter`` is the first iteration, or ``max_iter`` the last and ``s`` how many come before it.
    """

    min_iter: int | None
    max_iter: int | None
    s: int | None
    eta: float
    strict: bool

    def rungs(self) -> tuple[int, ...]:
        """Return the iterations at which runs are compared, ascending: at most 100."""
        return self._downwards() if self.s is not None else self._upwards()

    def _upwards(self) -> tuple[int, ...]:
        """Return ``min_iter`` times powers of eta, up to ``max_iter`` if it is given."""
        rungs: dict[int, None] = {}
        iteration = float(self.min_iter or 1)
        for _rung in range(_MOST_RUNGS):
            if iteration > (self.max_iter or _FARTHEST):
                break
            rungs[int(iteration)] = None
            iteration *= self.eta
        return tuple(rungs)

    def _downwards(self) -> tuple[int, ...]:
        """Return ``max_iter`` by powers of eta, from the first to the ``s``-th, as far as they are not below 1."""
        rungs: dict[int, None] = {}
        iteration = float(self.max_iter or 0)
        for _rung in range(min(self.s or 0, _MOST_RUNGS)):
            iteration /= self.eta
            if iteration < 1:
                break
            rungs[int(iteration)] = None
        return tuple(reversed(rungs))


def read_hyperband(section: Section) -> Hyperband:
    """Return the rule of a section ``early_terminate``.

    Raises:
        Invalid: its keys do not fit, or no iteration comes of them.
    """
    section.only(("type", "min_iter", "max_iter", "s", "eta", "strict"))
    section.choice("type", ("hyperband",))
    if "min_iter" not in section and not ("max_iter" in section and "s" in section):
        raise section.error("", _("needs min_iter, or max_iter and s."))
    rule = Hyperband(
        min_iter=section.whole("min_iter", 1) if "min_iter" in section else None,
        max_iter=section.whole("max_iter", 1) if "max_iter" in section else None,
        s=section.whole("s", 1) if "s" in section and "max_iter" in section else None,
        eta=float(section.above("eta", 1, 3)),
        strict=section.flag("strict", default=False),
    )
    if not rule.rungs():
        raise section.error(
            "", _("yields no iteration at which runs are compared; raise max_iter or lower eta.")
        )
    return rule
