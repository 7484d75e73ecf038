"""System checks of the configuration: `manage.py check` explains a bad installation before it hurts."""

from collections.abc import Callable, Sequence

from django.core.checks import CheckMessage

from config.checks.address import (
    check_allowed_hosts,
    check_allowed_networks,
    check_frame_ancestors,
    check_port,
    check_trusted_proxies,
    check_url,
)
from config.checks.observation import (
    check_metrics_token,
    check_traces,
)
from config.checks.rules import (
    check_billing_grace,
    check_crash_timeout,
    check_deleted_kept_days,
    check_invitation_days,
    check_providers,
    check_secret_key,
    check_signup,
    check_slack,
    check_stripe,
    check_support_contact,
)
from config.checks.servers import (
    check_clickhouse,
    check_database,
    check_email_url,
    check_home,
    check_redis_url,
    check_replica,
    check_segments,
    check_storage,
    check_web_processes,
)

Check = Callable[..., Sequence[CheckMessage]]

ALL: list[Check] = [
    check_url,
    check_home,
    check_crash_timeout,
    check_web_processes,
    check_secret_key,
    check_metrics_token,
    check_traces,
    check_port,
    check_email_url,
    check_database,
    check_replica,
    check_redis_url,
    check_allowed_hosts,
    check_frame_ancestors,
    check_support_contact,
    check_invitation_days,
    check_segments,
    check_deleted_kept_days,
    check_signup,
    check_providers,
    check_allowed_networks,
    check_trusted_proxies,
    check_slack,
    check_billing_grace,
    check_stripe,
    check_storage,
    check_clickhouse,
]
