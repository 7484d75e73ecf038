"""What the audit log says of accounts."""

from django.utils.translation import gettext_lazy as _

from access.audit_words import register_kind, register_words
from accounts.access import AccountAction

ACCOUNTS = {
    "user.create": _("Made an account"),
    "user.sign_in": _("Signed in"),
    "user.sign_in_failed": _("Failed to sign in"),
    "user.sign_out": _("Signed out"),
    "session.end": _("Ended sessions"),
    "password.change": _("Changed a password"),
    "password.set": _("Set a password"),
    "password.reset": _("Reset a password by mail"),
    "second_factor.add": _("Added a second factor"),
    "second_factor.remove": _("Removed a second factor"),
    "second_factor.reset": _("Made new recovery codes"),
    "email.add": _("Added an email address"),
    "email.verify": _("Confirmed an email address"),
    "email.delete": _("Removed an email address"),
    "email.primary": _("Chose the primary email address"),
    "sign_in_method.add": _("Connected a sign-in method"),
    "sign_in_method.remove": _("Disconnected a sign-in method"),
    AccountAction.UPDATE: _("Changed a profile"),
    AccountAction.SET_ACTIVE: _("Switched an account on or off"),
    AccountAction.DELETE: _("Deleted an account"),
    "account.merge": _("Merged another account into this one"),
    "account.merge_away": _("Merged an account into another"),
    "account.set_operator": _("Made somebody an operator, or no longer"),
    "account.impersonate": _("Began to act as somebody else"),
    "account.impersonate_end": _("Stopped acting as somebody else"),
    "password.send_reset": _("Sent a mail to reset a password"),
    "second_factor.reset_all": _("Took away all second factors"),
}
KEYS = {
    AccountAction.CREATE_KEY: _("Made an API key"),
    AccountAction.RENAME_KEY: _("Renamed an API key"),
    AccountAction.DELETE_KEY: _("Deleted an API key"),
    "api_key.limit": _("Changed what an API key may, or until when"),
}
INSTALLATION = {
    "sign_in_provider.save": _("Changed a sign-in provider"),
    "sign_in_provider.delete": _("Deleted a sign-in provider"),
    "outbox.read": _("Read a mail in the outbox"),
    "outbox.retry": _("Sent a mail of the outbox again"),
    "outbox.delete": _("Deleted a mail of the outbox"),
    "installation.change_settings": _("Changed the installation’s settings"),
    "group_mapping.save": _("Changed which group of a sign-in provider joins which team"),
    "group_mapping.delete": _("Ended that a group of a sign-in provider joins a team"),
    "group_mapping.refuse": _("Did not let a group of a sign-in provider join a team"),
}


def register() -> None:
    """Tell the audit log."""
    register_words("account", _("Accounts and sign-in"), ACCOUNTS)
    register_words("key", _("API keys"), KEYS)
    register_words("installation", _("Installation"), INSTALLATION)
    register_kind("accounts.User", _("Person"))
    register_kind("accounts.ApiKey", _("API key"))
    register_kind("accounts.SignInProvider", _("Sign-in provider"))
    register_kind("accounts.OutboxMail", _("Mail"))
