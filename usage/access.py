"""Actions on what an organization uses and pays (TEAM-21).

They are named here, since pages of usage ask for them, too; `billing.access` says who may, and on what.
"""

from enum import StrEnum


class BillingAction(StrEnum):
    """What is done with an organization's billing; a team's own use is ``team.view_usage``."""

    VIEW = "billing.view"
    MANAGE = "billing.manage"
    ASSIGN = "billing.assign"
