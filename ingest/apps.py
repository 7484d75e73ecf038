from django.apps import AppConfig


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        """Let every process, commands and the worker too, announce changed rights."""
        from ingest import known_limits
        from ingest.authorization import permission_cache  # noqa: F401 - rights listens by itself

        known_limits.register()
