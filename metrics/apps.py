from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from metrics import gaps, held, measures, selectors, store
        from runs.services import holdings, own_times, purge
        from runs.timeline import register_marks

        register_reading("store", measures.store)
        purge.register_part(store.delete)
        holdings.register_measure(holdings.HISTORY, held.sizes)
        own_times.register_last_line(selectors.last_line_at)
        register_marks(gaps.gap_marks)
