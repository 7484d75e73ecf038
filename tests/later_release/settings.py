"""The settings of an installation that has been upgraded."""

from config.settings import test_server
from config.settings.test_server import *  # noqa: F403 - as every settings module of ours

INSTALLED_APPS = [*test_server.INSTALLED_APPS, "tests.later_release"]
