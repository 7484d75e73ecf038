from django.apps import AppConfig
from django.core.checks import register


class CompositionConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        """Register the checks of the whole installation's configuration; keep one permission system, one broker."""
        from allauth.mfa.models import Authenticator
        from allauth.socialaccount.models import SocialApp, SocialToken
        from django.contrib import admin
        from django.contrib.auth.models import Group

        from config import checks
        from config.celery import app

        app.set_default()  # in every thread: what the web process asks for goes to our worker
        app.autodiscover_tasks(force=True)  # what is sent by its name is known in every process

        admin.site.unregister(Group)
        # rows of its own tables that ours replace, or that hold secrets
        for model in (SocialApp, SocialToken, Authenticator):
            admin.site.unregister(model)

        for check in checks.ALL:
            register(check)
