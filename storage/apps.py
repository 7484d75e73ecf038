from django.apps import AppConfig


class StorageConfig(AppConfig):
    name = "storage"

    def ready(self) -> None:
        from storage import known_limits

        known_limits.register()
