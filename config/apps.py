from django.apps import AppConfig
from django.core.checks import register


class CompositionConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        """Register the checks of the whole installation's configuration; keep one broker."""
        from config import checks
        from config.celery import app

        app.set_default()  # in every thread: what the web process asks for goes to our worker
        app.autodiscover_tasks(force=True)  # what is sent by its name is known in every process

        for check in checks.ALL:
            register(check)
