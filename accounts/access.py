"""Actions on people's own things."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, register_actions
from access.actor import deny_while_impersonating, require_named_scope
from access.resources.registry import Resource, register_resource
from accounts.paths import register_names


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
            user, label=_("Activate and deactivate accounts"),
            help=_("Only operators can activate or deactivate an account."),
        ),
        AccountAction.ADMINISTER: ActionSpec(
            user, label=_("Administer accounts"),
            help=_("Only operators can merge, recover and act as accounts, and appoint operators."),
        ),
        AccountAction.DELETE: ActionSpec(
            user, owner=True, label=_("Delete own account"),
            help=_("Delete the account and everything that only it owns."),
        ),
        AccountAction.UPDATE: ActionSpec(
            user, owner=True, label=_("Change own profile and preferences"),
            help=_("Picture, profile page, theme, language and code saving."),
        ),
        AccountAction.MANAGE_EMAILS: ActionSpec(
            (*user, "account.EmailAddress"), owner=True, label=_("Change email addresses"),
            help=_("View, add and delete the account’s addresses. Each can be used to reset the password."),
        ),
    }  # fmt: skip
    key_actions: dict[StrEnum, ActionSpec] = {
        AccountAction.CREATE_KEY: ActionSpec(
            user, owner=True, label=_("Create API keys"), help=_("Create new API keys for the account."),
        ),
        AccountAction.VIEW_KEYS: ActionSpec(
            key, owner=True, label=_("View API keys"), help=_("List the account’s API keys by their first characters."),
        ),
        AccountAction.RENAME_KEY: ActionSpec(
            key, owner=True, label=_("Rename API keys"), help=_("Rename the account’s API keys."),
        ),
        AccountAction.LIMIT_KEY: ActionSpec(
            key, owner=True, label=_("Restrict API keys"), help=_("Reduce what the account’s API keys can do."),
        ),
        AccountAction.DELETE_KEY: ActionSpec(
            key, owner=True, label=_("Delete API keys"), help=_("Revoke API keys of the account immediately."),
        ),
    }  # fmt: skip
    register_actions(account_actions, group=_("Account"))
    register_actions(key_actions, group=_("API keys"))
    require_named_scope(AccountAction.MANAGE_EMAILS)  # an address resets the password
    deny_while_impersonating(
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
