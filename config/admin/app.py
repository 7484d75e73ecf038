"""The Django admin with our own site; apart from `config.apps`, which may hold one configuration only."""

from django.contrib.admin.apps import AdminConfig


class OperatorsAdminConfig(AdminConfig):
    """Takes the place of ``django.contrib.admin`` in INSTALLED_APPS."""

    default_site = "config.admin.site.OperatorsSite"
