from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from metrics import gaps, measures, store
        from runs.services import purge
        from runs.timeline import register_marks

        register_reading("store", measures.store)
        purge.register_part(store.delete)
        register_marks(gaps.gap_marks)
