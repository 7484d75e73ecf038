"""What is limited for sweeps."""

from django.utils.translation import gettext_lazy as _

from access.limits.registry import REFUSED, Limit, LimitGroup, LimitUnit, length_limit, register_limits
from sweeps.agents import services as agents
from sweeps.config import parameters, yaml_text
from sweeps.lifecycle import services
from sweeps.trials import handing_out, priors


def register() -> None:
    """Tell the page of limits."""
    register_limits(
        Limit(
            "sweeps.config_bytes", LimitGroup.LOGGING, _("Configuration of a sweep"), lambda: yaml_text.MOST_BYTES,
            REFUSED, LimitUnit.BYTES,
        ),
        Limit(
            "sweeps.nesting", LimitGroup.LOGGING, _("Nesting levels of a sweep’s configuration"),
            lambda: yaml_text.DEEPEST, REFUSED,
        ),
        Limit(
            "sweeps.parameters", LimitGroup.LOGGING, _("Parameters of a sweep"), lambda: parameters.MOST_PARAMETERS,
            REFUSED,
        ),
        Limit(
            "sweeps.values", LimitGroup.LOGGING, _("Values of a sweep parameter"), lambda: parameters.MOST_VALUES,
            REFUSED,
        ),
        Limit(
            "sweeps.points", LimitGroup.LOGGING, _("Points of a grid"), lambda: services.MAX_POINTS, REFUSED,
        ),
        Limit(
            "sweeps.priors", LimitGroup.LOGGING, _("Earlier runs that a sweep learns from"), lambda: priors.MAX_PRIORS,
            REFUSED,
        ),
        Limit(
            "sweeps.attempts", LimitGroup.LOGGING, _("Attempts at a trial whose runs crash"),
            lambda: handing_out.MAX_ATTEMPTS, _("The trial is not handed out again."),
        ),
        Limit(
            "sweeps.reported", LimitGroup.LOGGING, _("Runs that a sweep agent reports at once"),
            lambda: agents.MAX_REPORTED, REFUSED,
        ),
        length_limit("sweep", _("Name of a sweep"), lambda: services.MAX_NAME),
        length_limit("sweep_description", _("Description of a sweep"), lambda: services.MAX_DESCRIPTION),
    )  # fmt: skip
