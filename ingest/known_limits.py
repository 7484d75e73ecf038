"""What is limited of posts."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from access.limits.registry import Limit, LimitGroup, LimitUnit, register_limits
from metrics.series.selectors import MAX_LISTED

MAX_UPLOADS = 100
"""Files that one request asks addresses for."""


def register() -> None:
    """Tell the page of limits."""
    slower = _(
        "Returns 429. SDKs retry with increasing delays and lose nothing; the run’s timeline shows it."
    )
    too_large = _("Returns 413, which stops the SDK from sending the run; the run’s timeline shows it.")
    register_limits(
        Limit(
            "logging.run_posts", LimitGroup.LOGGING, _("Data requests of a run, per web process"),
            lambda: settings.RUN_POST_RATE, slower, LimitUnit.PER_SECOND, "RUNYARD_RUN_POST_RATE",
        ),
        Limit(
            "logging.project_posts", LimitGroup.LOGGING, _("Data requests of a project’s runs, per web process"),
            lambda: settings.PROJECT_POST_RATE, slower, LimitUnit.PER_SECOND, "RUNYARD_PROJECT_POST_RATE",
        ),
        Limit(
            "logging.post_bytes", LimitGroup.LOGGING, _("Size of a data request"),
            lambda: settings.FILE_STREAM_MAX_BYTES, too_large, LimitUnit.BYTES, "RUNYARD_FILE_STREAM_MAX_MIB",
        ),
        Limit(
            "logging.post_lines", LimitGroup.LOGGING, _("Lines of a data request"),
            lambda: settings.FILE_STREAM_MAX_LINES, too_large, setting="RUNYARD_FILE_STREAM_MAX_LINES",
        ),
        Limit(
            "logging.row_values", LimitGroup.LOGGING,
            _("Values of a logged row, of a run’s config, and of its summary, nested ones included"),
            lambda: settings.ROW_MAX_VALUES,
            _("The row or summary is skipped and listed on the run; a config is rejected."),
            setting="RUNYARD_ROW_MAX_VALUES",
        ),
        Limit(
            "logging.run_keys", LimitGroup.LOGGING, _("Keys of a run’s history, and of its system metrics"),
            lambda: settings.RUN_MAX_KEYS,
            _("Rows with further keys are skipped and listed on the run; all others are stored."),
            setting="RUNYARD_RUN_MAX_KEYS",
        ),
        Limit(
            "logging.listed_keys", LimitGroup.LOGGING, _("Keys that a workspace or a REST request lists"),
            lambda: MAX_LISTED, _("A workspace lists the first by name; REST returns the next ones on request."),
        ),
        Limit(
            "requests.slow", LimitGroup.REQUESTS, _("Time limit for each 64 KiB of a request"),
            lambda: settings.SLOW_CLIENT_S, _("Returns 408 and closes the connection. SDKs send it again."),
            LimitUnit.SECONDS, "RUNYARD_SLOW_CLIENT_S",
        ),
        Limit(
            "files.addresses", LimitGroup.FILES, _("Files per REST request for upload URLs"),
            lambda: MAX_UPLOADS, _("Returns 400; split the request."),
        ),
    )  # fmt: skip
