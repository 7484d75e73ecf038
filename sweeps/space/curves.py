# mypy: disable-error-code="import-untyped"
# (scipy ships no types)
"""Continuous distributions by their cumulative functions.

Source: the documentation of sweeps gives each distribution's meaning; the package ``sweeps`` 0.2.0 its defaults.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol

_EDGE = 2.0**-53
"""Quantiles that may be infinite, or not be computed, at 0 and 1 are asked no nearer than this: 8.2 deviations."""
FARTHEST_DEVIATION = 8.3
"""Standard deviations from the mean that no value of a normal distribution here exceeds."""


class Curve(Protocol):
    """A distribution of real numbers."""

    @property
    def low(self) -> float:
        """The least value; minus infinity if there is none."""

    @property
    def high(self) -> float:
        """The greatest value; infinity if there is none."""

    def quantile(self, u: float) -> float:
        """Return the value below which a share ``u`` (0 to 1) of all values lies; finite."""

    def cumulative(self, x: float) -> float:
        """Return the share (0 to 1) of values below ``x``, which lies from ``low`` to ``high``."""


def _within(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


def _inner(u: float) -> float:
    return _within(u, _EDGE, 1 - _EDGE)


@dataclass(frozen=True, slots=True)
class Uniform:
    """All values from ``low`` to ``high`` alike."""

    low: float
    high: float

    def quantile(self, u: float) -> float:
        """Return the value at a share ``u`` of the way."""
        return _within(self.low * (1 - u) + self.high * u, self.low, self.high)

    def cumulative(self, x: float) -> float:
        """Return how far ``x`` lies on the way from ``low`` to ``high``."""
        return _within((x - self.low) / (self.high - self.low), 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class LogUniform:
    """Values whose logarithm is uniform, from ``low`` to ``high``, both above 0."""

    low: float
    high: float

    def quantile(self, u: float) -> float:
        """Return the value at a share ``u`` of the way, by logarithm."""
        start, end = math.log(self.low), math.log(self.high)
        return _within(math.exp(start * (1 - u) + end * u), self.low, self.high)

    def cumulative(self, x: float) -> float:
        """Return how far the logarithm of ``x`` lies on the way."""
        start, end = math.log(self.low), math.log(self.high)
        return _within((math.log(x) - start) / (end - start), 0.0, 1.0) if end > start else 0.5


@dataclass(frozen=True, slots=True)
class Normal:
    """The normal distribution of mean ``mu`` and standard deviation ``sigma``."""

    mu: float
    sigma: float
    low: float = -math.inf
    high: float = math.inf

    def quantile(self, u: float) -> float:
        """Return the value at ``u``, at most 8.2 standard deviations from the mean."""
        return NormalDist(self.mu, self.sigma).inv_cdf(_inner(u))

    def cumulative(self, x: float) -> float:
        """Return the share of values below ``x``."""
        return NormalDist(self.mu, self.sigma).cdf(x)


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Values whose natural logarithm is normal with mean ``mu`` and standard deviation ``sigma``."""

    mu: float
    sigma: float
    low: float = 0.0
    high: float = math.inf

    def quantile(self, u: float) -> float:
        """Return the value at ``u``."""
        return math.exp(Normal(self.mu, self.sigma).quantile(u))

    def cumulative(self, x: float) -> float:
        """Return the share of values below ``x``."""
        return Normal(self.mu, self.sigma).cumulative(math.log(x)) if x > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Beta:
    """The beta distribution of shapes ``a`` and ``b``, from 0 to 1."""

    a: float
    b: float
    low: float = 0.0
    high: float = 1.0

    def quantile(self, u: float) -> float:
        """Return the value at ``u``."""
        from scipy.special import betaincinv  # takes a while to import, and few sweeps need it

        return _within(float(betaincinv(self.a, self.b, _inner(u))), 0.0, 1.0)

    def cumulative(self, x: float) -> float:
        """Return the share of values below ``x``."""
        from scipy.special import betainc

        return _within(float(betainc(self.a, self.b, x)), 0.0, 1.0)
