from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from metrics.diagnostics import lost_lines
        from metrics.series import selectors
        from metrics.store import deletion, instrumentation, store_size
        from runs.lifecycle import offline_times, purge, storage_ledger
        from runs.lifecycle.timeline import register_marks

        register_reading("store", instrumentation.read_store)
        purge.register_part(deletion.delete_rows)
        storage_ledger.register_measure(storage_ledger.HISTORY, store_size.stored_sizes)
        offline_times.register_last_line(selectors.last_line_at)
        register_marks(lost_lines.gap_marks)
