"""Which examples Hypothesis tries."""

from hypothesis import settings

from tests.suite.passes import CURRENT, Pass, amount

OF_A_HUNDRED = amount("examples of each hundred of a property", 30, 100)


def examples(most: int) -> int:
    """Return how many examples of a property the pass tries, where ``most`` find what can be found."""
    return max(1, most * OF_A_HUNDRED // 100)


def choose() -> None:
    """Try the same ones each time; only the complete pass looks for new ones, and goes on with those that failed.

    Elsewhere a test would fail, by chance, for what no one has just changed.
    """
    same = settings(settings.get_profile("ci"), max_examples=OF_A_HUNDRED)
    new = settings(same, derandomize=False, database=settings.get_profile("default").database)
    settings.register_profile("runyard", new if CURRENT is Pass.ALL else same)
    settings.load_profile("runyard")
