from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from access.credentials import register_secret_checker
        from accounts import access
        from accounts.keys import actor_of_secret
        from accounts.search import find_settings
        from common.search import register_search

        access.register()
        register_secret_checker(actor_of_secret)
        register_search(_("Settings"), icon="settings-2", rank=40, find=find_settings)
