from django.apps import AppConfig


class AutomationsConfig(AppConfig):
    name = "automations"

    def ready(self) -> None:
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from alerts.automation_provider import register_automation_provider
        from artifacts.participants import register_follower
        from automations import access, audit_words, known_limits, paths, settings_sections
        from automations.firing.artifacts import record_artifact_change
        from automations.firing.provider import AlertAutomationProvider
        from automations.lifecycle import account_merge
        from automations.lifecycle.run_participant import AutomationsRunParticipant
        from runs.lifecycle import participants

        access.register()
        paths.register_names()
        audit_words.register()
        settings_sections.register()
        known_limits.register()
        register_automation_provider(AlertAutomationProvider())
        participants.register_run_participant(AutomationsRunParticipant())
        register_follower(record_artifact_change)
        register_account_participant(
            AccountParticipant(
                preview_merge=account_merge.preview_merge,
                merge=account_merge.merge,
            )
        )
