from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from alerts import access, audit_words, known_limits, settings_sections
        from alerts.lifecycle import account_merge, erasure
        from alerts.lifecycle.run_participant import AlertsRunParticipant
        from alerts.lifecycle.sweep_follower import record_sweep_change
        from alerts.outbox import instrumentation
        from common.telemetry.exposition import register_reading
        from runs.lifecycle import participants
        from sweeps.participants import register_follower
        from teams.teams.participants import TeamParticipant, register_team_participant

        access.register()
        audit_words.register()
        settings_sections.register()
        known_limits.register()
        participants.register_run_participant(AlertsRunParticipant())
        register_follower(record_sweep_change)
        register_reading("alerts", instrumentation.waiting)
        register_account_participant(
            AccountParticipant(
                erase=erasure.forget_person,
                preview_merge=account_merge.preview_merge,
                merge=account_merge.merge,
            )
        )
        register_team_participant(TeamParticipant(forget=erasure.forget_team))
