"""The sections that accounts add to the settings of people."""

from django.utils.translation import gettext_lazy as _

from accounts.settings.sections import Section, SettingsScope, register_sections


def register() -> None:
    """Add them; called in ``AppConfig.ready``."""
    register_sections(
        SettingsScope.USER,
        Section(
            _("Profile"),
            "user",
            "accounts:profile",
            rank=10,
            words=_("picture avatar display name institution links bio"),
        ),
        Section(
            _("Beta features"),
            "flask-conical",
            "accounts:beta",
            rank=30,
            words=_("night mode dark theme"),
        ),
        Section(_("Language"), "languages", "accounts:language", rank=85, words=_("english 日本語 한국어")),
        Section(_("API keys"), "key-round", "accounts:api_keys", rank=50, words=_("token sdk login wandb")),
        Section(
            _("Save code"),
            "file-code",
            "accounts:code_saving",
            rank=55,
            words=_("script diff notebook sdk save_code"),
        ),
        Section(
            _("Emails"),
            "mail",
            "accounts:emails",
            rank=60,
            words=_("address verify primary notifications"),
        ),
        Section(_("GitHub"), "git-branch", "accounts:github", rank=70, words=_("connect integration code")),
        Section(
            _("Security"),
            "lock",
            "accounts:security",
            rank=80,
            words=_("password two-factor 2fa passkey sessions sign in log in sso"),
        ),
        Section(_("Delete account"), "trash-2", "accounts:delete", rank=90, words=_("close remove leave")),
    )
