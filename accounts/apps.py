from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from access.credentials import register_secret_checker
        from accounts import access
        from accounts.keys import actor_of_secret

        access.register()
        register_secret_checker(actor_of_secret)
