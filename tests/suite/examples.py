"""Which examples Hypothesis tries."""

from hypothesis import settings

from tests.suite.passes import CURRENT, Pass

USUAL = 30
"""Examples of a property in the gate, of Hypothesis's 100."""


def examples(most: int) -> int:
    """Return how many examples of a property a pass tries that finds what can be found with ``most`` of them."""
    return most if CURRENT is Pass.ALL else max(1, most * USUAL // 100)


def choose() -> None:
    """Try the same ones each time; only the complete pass looks for new ones, and goes on with those that failed.

    Elsewhere a test would fail, by chance, for what nobody has just changed.
    """
    same = settings(settings.get_profile("ci"), max_examples=USUAL)
    new = settings(
        same, max_examples=100, derandomize=False, database=settings.get_profile("default").database
    )
    settings.register_profile("runyard", new if CURRENT is Pass.ALL else same)
    settings.load_profile("runyard")
