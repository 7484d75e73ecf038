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
        self._add_to_registries()
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

    def _add_to_registries(self) -> None:
        """Let roles in registries include what their columns of TEAM-21 may with automations."""
        from artifacts.models import RegistryRole
        from artifacts.registries.roles import add_to_role
        from automations.access import AutomationAction

        add_to_role(RegistryRole.VIEWER, AutomationAction.VIEW)
        add_to_role(RegistryRole.MEMBER, AutomationAction.CREATE, AutomationAction.MANAGE_OWN)
        add_to_role(RegistryRole.ADMIN, AutomationAction.MANAGE)
