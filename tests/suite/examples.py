"""Which examples Hypothesis tries."""

from hypothesis import settings

from tests.suite.passes import CURRENT, Pass


def choose() -> None:
    """Try the same ones each time; only the complete pass looks for new ones, and goes on with those that failed.

    Elsewhere a test would fail, by chance, for what nobody has just changed.
    """
    same = settings.get_profile("ci")
    new = settings(same, derandomize=False, database=settings.get_profile("default").database)
    settings.register_profile("runyard", new if CURRENT is Pass.ALL else same)
    settings.load_profile("runyard")
