"""The Django admin with our own site; apart from `config.apps`, which may hold one configuration only."""

from django.contrib.admin.apps import SimpleAdminConfig


class OperatorsAdminConfig(SimpleAdminConfig):
    """Takes the place of ``django.contrib.admin`` in INSTALLED_APPS; models are registered by the routes."""

    default_site = "config.admin.site.OperatorsSite"
