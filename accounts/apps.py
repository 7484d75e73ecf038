from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from access.callers.credentials import register_secret_checker
        from accounts import access, audit_words, known_limits
        from accounts.api_keys.secrets import actor_of_secret
        from accounts.operators import installation_settings
        from accounts.profile import services as profiles
        from accounts.settings import preferences
        from accounts.settings.search import find_settings
        from accounts.settings.sections import Place, Section, register_sections
        from accounts.sign_in import allauth_signals
        from common.installation_settings import register_stored
        from common.search import register_search

        access.register()
        audit_words.register()
        register_stored(installation_settings.stored)
        allauth_signals.listen()
        known_limits.register()
        register_secret_checker(actor_of_secret)
        register_search(_("Settings"), icon="settings-2", rank=40, find=find_settings)
        profiles.register_profile("accounts.User", access.AccountAction.UPDATE)
        preferences.register_beta_feature(
            preferences.BetaFeature(
                key="night-mode",
                label=_("Night mode"),
                description=_(
                    "Use the dark theme on every page, whatever your system setting. Same as the theme Dark."
                ),
                is_on=preferences.is_night,
                turn=preferences.turn_night,
            )
        )
        register_sections(
            Place.USER,
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
            Section(
                _("Language"), "languages", "accounts:language", rank=85, words=_("english 日本語 한국어")
            ),
            Section(
                _("API keys"), "key-round", "accounts:api_keys", rank=50, words=_("token sdk login wandb")
            ),
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
            Section(
                _("GitHub"), "git-branch", "accounts:github", rank=70, words=_("connect integration code")
            ),
            Section(
                _("Security"),
                "lock",
                "accounts:security",
                rank=80,
                words=_("password two-factor 2fa passkey sessions sign in log in sso"),
            ),
            Section(
                _("Delete account"), "trash-2", "accounts:delete", rank=90, words=_("close remove leave")
            ),
        )
