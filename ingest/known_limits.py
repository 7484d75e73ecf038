"""What is limited of posts."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from access.limits.registry import Limit, LimitGroup, LimitUnit, register_limits
from ingest.api import serializers


def register() -> None:
    """Tell the page of limits."""
    slower = _(
        "Answered 429. SDKs retry with increasing delays and lose nothing; the run’s timeline shows it."
    )
    too_large = _("Answered 413, which stops the SDK from sending the run; the run’s timeline shows it.")
    register_limits(
        Limit(
            "logging.run_posts", LimitGroup.LOGGING, _("Posts of lines of a run, to one web process"),
            lambda: settings.RUN_POST_RATE, slower, LimitUnit.PER_SECOND, "RUNYARD_RUN_POST_RATE",
        ),
        Limit(
            "logging.project_posts", LimitGroup.LOGGING, _("Posts of lines of a project’s runs, to one web process"),
            lambda: settings.PROJECT_POST_RATE, slower, LimitUnit.PER_SECOND, "RUNYARD_PROJECT_POST_RATE",
        ),
        Limit(
            "logging.post_bytes", LimitGroup.LOGGING, _("A post of lines"), lambda: settings.FILE_STREAM_MAX_BYTES,
            too_large, LimitUnit.BYTES, "RUNYARD_FILE_STREAM_MAX_MIB",
        ),
        Limit(
            "logging.post_lines", LimitGroup.LOGGING, _("Lines of a post"), lambda: settings.FILE_STREAM_MAX_LINES,
            too_large, setting="RUNYARD_FILE_STREAM_MAX_LINES",
        ),
        Limit(
            "requests.slow", LimitGroup.REQUESTS, _("Time limit for each 64 KiB of a request"),
            lambda: settings.SLOW_CLIENT_S, _("Answered 408, and the connection is closed. SDKs send it again."),
            LimitUnit.SECONDS, "RUNYARD_SLOW_CLIENT_S",
        ),
        Limit(
            "files.addresses", LimitGroup.FILES, _("Files per REST request for upload addresses"),
            lambda: serializers.MAX_UPLOADS, _("Answered 400; split the request."),
        ),
    )  # fmt: skip
