"""Static files: built by esbuild into assets/dist, collected with hashed names into the data folder."""

from config.env import HOME, ROOT

STATIC_URL = "/static/"
STATIC_ROOT = HOME / "static"
STATICFILES_DIRS = [ROOT / "assets" / "dist"]
STATIC_FOLDERS = [STATIC_ROOT]
"""Where the server looks for them."""
STATIC_MAX_AGE_S = 60
"""How long browsers keep those whose names have no hash."""
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
}
