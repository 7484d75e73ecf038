"""Where uploaded files lie: the data folder, or a bucket (docs/operate/storage.md)."""

from config.env import HOME, env
from config.settings.limits import MIB

STORAGE_URL = env.str("RUNYARD_STORAGE_URL", default="")
"""Of the bucket that new files go to; empty: the data folder."""
STORAGE_KEY = env.str("RUNYARD_STORAGE_KEY", default="")
STORAGE_SECRET = env.str("RUNYARD_STORAGE_SECRET", default="")
STORAGE_CREDENTIALS = env.str("RUNYARD_STORAGE_CREDENTIALS", default="")
"""What a provider gives as a file: JSON of a service account, or a connection string."""
STORAGE_CACHE_FOLDER = HOME / "storage-cache"
STORAGE_CACHE_BYTES = env.int("RUNYARD_STORAGE_CACHE_MIB", default=2048) * MIB
