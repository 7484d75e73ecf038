from django.apps import AppConfig


class IngestConfig(AppConfig):
    name = "ingest"

    def ready(self) -> None:
        """Let every process, commands and the worker too, tell of changed rights."""
        from ingest import rights  # noqa: F401
