from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from alerts import access, audit_words, events, measures, retention, settings_sections
        from alerts.automation import registration
        from common.telemetry.exposition import register_reading
        from runs import hooks
        from runs.services import purge

        access.register()
        audit_words.register()
        settings_sections.register()
        registration.register()
        hooks.register_state_hook(events.note_state)
        hooks.register_alert_hook(events.note_alert)
        purge.register_part(retention.remove_of_run)
        register_reading("alerts", measures.waiting)
