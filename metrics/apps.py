from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.backups.elsewhere import register_elsewhere
        from common.telemetry.exposition import register_reading
        from metrics.run_highlights import MetricsHighlights
        from metrics.run_participant import MetricsRunParticipant
        from metrics.store import instrumentation, store_size
        from runs.highlights.provider import register_highlights_provider
        from runs.lifecycle import participants

        register_reading("store", instrumentation.read_store)
        register_elsewhere(store_size.count_elsewhere)
        participants.register_run_participant(MetricsRunParticipant())
        register_highlights_provider(MetricsHighlights())
