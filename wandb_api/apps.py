from django.apps import AppConfig


class WandbApiConfig(AppConfig):
    name = "wandb_api"

    def ready(self) -> None:
        """Let every process, commands and the worker too, tell of changed rights."""
        from wandb_api import rights  # noqa: F401
