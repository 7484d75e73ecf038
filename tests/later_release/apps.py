from django.apps import AppConfig


class LaterReleaseConfig(AppConfig):
    name = "tests.later_release"
    label = "later"
