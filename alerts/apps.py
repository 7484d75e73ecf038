from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from accounts.lifecycle.deletion import register_account_part
        from alerts import (
            access,
            audit_words,
            automation_sections,
            events,
            known_limits,
            measures,
            merging,
            retention,
            settings_sections,
        )
        from alerts.automation import registration
        from alerts.services import forgetting
        from common.telemetry.exposition import register_reading
        from runs.lifecycle import hooks, purge
        from teams.teams.deletion import Holding, register_holding

        access.register()
        audit_words.register()
        settings_sections.register()
        automation_sections.register()
        known_limits.register()
        registration.register()
        hooks.register_state_hook(events.note_state)
        hooks.register_alert_hook(events.note_alert)
        purge.register_part(retention.remove_of_run)
        register_reading("alerts", measures.waiting)
        register_account_part(erase=forgetting.forget_person)
        register_merge_part(Part(lines=merging.lines, move=merging.move))
        register_holding(Holding(forget=forgetting.forget_team))
