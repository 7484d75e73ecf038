"""``python -m bench``: run all benchmarks on a database of their own."""

import importlib
import os
import sys
import tempfile
from pathlib import Path

MODULES = [
    "ingest", "posts", "reads", "history", "workspace", "table", "packing", "segments", "aggregates", "permissions",
    "agent", "alerts", "automations", "usage", "metering", "artifacts", "sweeps", "grids", "browser",
]  # fmt: skip


def main() -> None:
    """Run what is named, or all."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
        os.environ["RUNYARD_HOME"] = home
        os.environ.setdefault("RUNYARD_LOG_LEVEL", "WARNING")
        import django

        django.setup()
        from django.conf import settings

        settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
        settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        for name in sys.argv[1:] or MODULES:
            print(f"\n## {name}\n")
            importlib.import_module(f"bench.{name}").run(Path(home))


main()
