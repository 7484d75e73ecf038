"""The sections that accounts add to the settings of people."""

from django.utils.translation import gettext_lazy as _

from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections


def register() -> None:
    """Add them; called in ``AppConfig.ready``."""
    account, access = SectionGroup.ACCOUNT, SectionGroup.ACCESS
    of_profile, of_emails = (
        _("picture avatar display name institution links bio"),
        _("address verify primary"),
    )
    of_security = _("password two-factor 2fa passkey sessions sign in log in sso")
    of_looks = _("night mode dark theme light english 日本語 한국어")
    of_code, of_keys = _("script diff notebook sdk save_code"), _("token sdk login wandb")
    closing, profile = _("close remove leave"), "accounts:profile"
    register_sections(
        SettingsScope.USER,
        Section(_("Profile"), "user", profile, account, 10, words=of_profile),
        Section(_("Emails"), "mail", "accounts:emails", account, 20, words=of_emails),
        Section(_("Security"), "lock", "accounts:security", account, 30, words=of_security),
        Section(_("Appearance and language"), "sun", "accounts:language", account, 40, words=of_looks),
        Section(
            _("GitHub"), "git-branch", "accounts:github", account, 50, words=_("connect integration code")
        ),
        Section(_("Save code"), "file-code", "accounts:code_saving", account, 60, words=of_code),
        Section(_("API keys"), "key-round", "accounts:api_keys", access, 10, words=of_keys),
        Section(_("Delete account"), "trash-2", "accounts:delete", account, 90, words=closing, under=profile),
    )
