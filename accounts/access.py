"""Actions on people's own things."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, register_actions
from access.actor import want_named, withhold
from access.resources import Resource, register_resource
from accounts.naming import register_names


class AccountAction(StrEnum):
    """What is done to an account and its keys."""

    SET_ACTIVE = "account.set_active"
    ADMINISTER = "account.administer"
    DELETE = "account.delete"
    UPDATE = "account.update"
    MANAGE_EMAILS = "account.manage_emails"
    VIEW_KEYS = "api_key.view"
    CREATE_KEY = "api_key.create"
    RENAME_KEY = "api_key.rename"
    LIMIT_KEY = "api_key.limit"
    DELETE_KEY = "api_key.delete"


def register() -> None:
    """Tell the engine."""
    user, key = ("accounts.User",), ("accounts.ApiKey",)
    account_actions: dict[StrEnum, ActionSpec] = {
        AccountAction.SET_ACTIVE: ActionSpec(
            user, label=_("Switch accounts on and off"), help=_("Operators alone let an account in, or shut it out."),
        ),
        AccountAction.ADMINISTER: ActionSpec(
            user, label=_("Administer accounts"),
            help=_("Operators alone merge, rescue and act as accounts, and name operators."),
        ),
        AccountAction.DELETE: ActionSpec(
            user, owner=True, label=_("Delete one’s account"), help=_("Delete the account and all that it alone owns."),
        ),
        AccountAction.UPDATE: ActionSpec(
            user, owner=True, label=_("Change one’s profile and preferences"),
            help=_("The picture, the profile page, the theme, the language, and whether code is saved."),
        ),
        AccountAction.MANAGE_EMAILS: ActionSpec(
            (*user, "account.EmailAddress"), owner=True, label=_("Change email addresses"),
            help=_("See, add and delete the account’s addresses, each of which can reset its password."),
        ),
    }  # fmt: skip
    key_actions: dict[StrEnum, ActionSpec] = {
        AccountAction.CREATE_KEY: ActionSpec(
            user, owner=True, label=_("Make API keys"), help=_("Make new API keys for the account."),
        ),
        AccountAction.VIEW_KEYS: ActionSpec(
            key, owner=True, label=_("See API keys"), help=_("List the account’s API keys by what they begin with."),
        ),
        AccountAction.RENAME_KEY: ActionSpec(
            key, owner=True, label=_("Rename API keys"), help=_("Change what the account’s API keys are called."),
        ),
        AccountAction.LIMIT_KEY: ActionSpec(
            key, owner=True, label=_("Limit API keys"), help=_("Let API keys of the account reach less far."),
        ),
        AccountAction.DELETE_KEY: ActionSpec(
            key, owner=True, label=_("Delete API keys"), help=_("End API keys of the account at once."),
        ),
    }  # fmt: skip
    register_actions(account_actions, group=_("Account"))
    register_actions(key_actions, group=_("API keys"))
    want_named(AccountAction.MANAGE_EMAILS)  # an address resets the password
    withhold(
        AccountAction.DELETE,
        AccountAction.MANAGE_EMAILS,
        AccountAction.CREATE_KEY,
        AccountAction.RENAME_KEY,
        AccountAction.DELETE_KEY,
        AccountAction.VIEW_KEYS,
    )
    register_resource(Resource("accounts.User", owner="pk"))
    register_resource(Resource("account.EmailAddress", view=AccountAction.MANAGE_EMAILS, owner="user_id"))
    register_resource(Resource("accounts.ApiKey", view=AccountAction.VIEW_KEYS, owner="user_id"))
    register_names()
