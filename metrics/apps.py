from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from metrics import gaps, held, measures, selectors, store
        from runs.lifecycle import offline_times, purge, storage_ledger
        from runs.lifecycle.timeline import register_marks

        register_reading("store", measures.store)
        purge.register_part(store.delete)
        storage_ledger.register_measure(storage_ledger.HISTORY, held.sizes)
        offline_times.register_last_line(selectors.last_line_at)
        register_marks(gaps.gap_marks)
