from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from django.urls import reverse
        from django.utils.translation import gettext_lazy as _

        from accounts import access, audit_words, known_limits
        from accounts.credentials import address_claims
        from accounts.profile import services as profiles
        from accounts.settings import account_sections as settings_sections
        from accounts.settings.search import find_settings
        from accounts.sign_in import allauth_signals
        from common.search import Action, register_actions, register_search

        access.register()
        audit_words.register()
        allauth_signals.listen()
        address_claims.listen()
        known_limits.register()
        settings_sections.register()
        register_search(_("Settings"), icon="settings-2", rank=40, find=find_settings)
        register_actions(
            Action(_("New API key"), "key-round", lambda _actor: reverse("accounts:api_keys"), _("create token")),
            Action(
                _("Switch theme"), "moon", lambda _actor: reverse("accounts:profile"), _("dark light night mode"),
                act="night-mode",
            ),
        )  # fmt: skip
        profiles.register_profile("accounts.User", access.AccountAction.UPDATE)
