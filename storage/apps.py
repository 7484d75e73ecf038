from django.apps import AppConfig


class StorageConfig(AppConfig):
    name = "storage"

    def ready(self) -> None:
        from common.backups.elsewhere import register_elsewhere
        from storage import known_limits
        from storage.buckets.services import count_contents

        known_limits.register()
        register_elsewhere(count_contents)
