from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from accounts.lifecycle.deletion import register_account_part
        from alerts import access, audit_words, known_limits, settings_sections
        from alerts.lifecycle import account_merge, erasure
        from alerts.lifecycle.run_participant import AlertsOfRun
        from alerts.outbox import instrumentation
        from common.telemetry.exposition import register_reading
        from runs.lifecycle import participants
        from teams.teams.participants import TeamParticipant, register_team_participant

        access.register()
        audit_words.register()
        settings_sections.register()
        known_limits.register()
        participants.register(AlertsOfRun())
        register_reading("alerts", instrumentation.waiting)
        register_account_part(erase=erasure.forget_person)
        register_merge_part(Part(lines=account_merge.lines, move=account_merge.move))
        register_team_participant(TeamParticipant(forget=erasure.forget_team))
