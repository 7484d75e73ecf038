from django.apps import AppConfig


class WandbApiConfig(AppConfig):
    name = "wandb_api"

    def ready(self) -> None:
        from wandb_api import known_limits

        known_limits.register()
