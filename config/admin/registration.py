"""Which models the admin shows: what the apps register, without a second permission system."""

from functools import cache

from django.contrib import admin


@cache
def register_models() -> None:
    """Import the admin modules of all apps; done by the routes, so that a worker, which has none, imports none."""
    admin.autodiscover()

    from allauth.mfa.models import Authenticator
    from allauth.socialaccount.models import SocialApp, SocialToken
    from django.contrib.auth.models import Group

    # Group would be a second permission system; the others are tables that ours replace, or that hold secrets
    for model in (Group, SocialApp, SocialToken, Authenticator):
        admin.site.unregister(model)
