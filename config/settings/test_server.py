"""For the installations that tests start: production, but for cheap password hashes, half a second of CPU each else."""

from config.settings.prod import *

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

WEB_DRAIN_S = 0.0  # suites end many servers, whose clients keep connections
