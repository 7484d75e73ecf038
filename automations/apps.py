from django.apps import AppConfig


class AutomationsConfig(AppConfig):
    name = "automations"

    def ready(self) -> None:
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from alerts.automation_provider import register_automations
        from automations import access, audit_words, known_limits, paths, settings_sections
        from automations.firing.provider import Provider
        from automations.lifecycle import account_merge
        from automations.lifecycle.run_participant import AutomationsOfRun
        from runs.lifecycle import participants

        access.register()
        paths.register_names()
        audit_words.register()
        settings_sections.register()
        known_limits.register()
        register_automations(Provider())
        participants.register(AutomationsOfRun())
        register_merge_part(Part(lines=account_merge.lines, move=account_merge.move))
