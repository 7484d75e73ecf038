"""Actions on people's own things."""

from enum import StrEnum

from access.actions import ActionSpec, register_actions
from access.resources import Resource, register_resource


class AccountAction(StrEnum):
    """What is done to an account and its keys."""

    SET_ACTIVE = "account.set_active"
    VIEW_KEYS = "api_key.view"
    CREATE_KEY = "api_key.create"
    DELETE_KEY = "api_key.delete"


def register() -> None:
    """Tell the engine."""
    register_actions(
        {
            AccountAction.SET_ACTIVE: ActionSpec(on=("accounts.User",), label="Switch accounts on and off"),
            AccountAction.CREATE_KEY: ActionSpec(on=("accounts.User",), owner=True, label="Make an API key"),
            AccountAction.VIEW_KEYS: ActionSpec(on=("accounts.ApiKey",), owner=True, label="See API keys"),
            AccountAction.DELETE_KEY: ActionSpec(
                on=("accounts.ApiKey",), owner=True, label="Delete an API key"
            ),
        }
    )
    register_resource(Resource("accounts.User", owner="pk"))
    register_resource(Resource("accounts.ApiKey", view=AccountAction.VIEW_KEYS, owner="user_id"))
