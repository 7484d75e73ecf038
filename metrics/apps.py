from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from metrics.run_participant import MetricsOfRun
        from metrics.store import instrumentation
        from runs.lifecycle import participants

        register_reading("store", instrumentation.read_store)
        participants.register(MetricsOfRun())
