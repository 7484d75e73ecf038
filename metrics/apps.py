from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from metrics import measures, store
        from runs.services import purge

        register_reading("store", measures.store)
        purge.register_part(store.delete)
