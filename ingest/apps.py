from django.apps import AppConfig


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        """Let every process, commands and the worker too, announce changed rights."""
        from ingest import key_scopes, known_limits
        from ingest.authorization import permission_cache  # noqa: F401 - rights listens by itself

        key_scopes.register()
        known_limits.register()
