from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from metrics.run_participant import MetricsRunParticipant
        from metrics.store import instrumentation
        from runs.lifecycle import participants

        register_reading("store", instrumentation.read_store)
        participants.register_run_participant(MetricsRunParticipant())
