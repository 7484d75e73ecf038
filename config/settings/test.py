"""For the test suite: cheap password hashes, mail in memory, tasks in the calling process."""

from config.settings.base import *

DEBUG = False
ALLOWED_HOSTS = ["*"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}

# Each test has event loops of its own, and a Redis layer does not end with them; the tests of whole installations
# (the fixture `server`) use those of production (`test_server`), so a real one.
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

API_RATE = GRAPHQL_RATE = (
    0  # the suite asks as one person thousands of times a minute; tests of rates set them
)

ALERT_GATHER_S = 0  # tests that are about gathering set it

# A test's rows need not survive a power cut, for which each commit would wait.
if "init_command" in (_options := DATABASES["default"]["OPTIONS"]):
    _options["init_command"] = _options["init_command"].replace("synchronous=FULL", "synchronous=OFF")
else:
    _options["options"] = f"{_options.get('options', '')} -c synchronous_commit=off"
