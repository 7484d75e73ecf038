from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from accounts.deletion import register_account_part
        from accounts.merging import Part, register_merge_part
        from alerts import access, audit_words, merging, settings_sections
        from alerts.services import forgetting
        from teams.deletion import Holding, register_holding

        access.register()
        audit_words.register()
        settings_sections.register()
        register_account_part(erase=forgetting.forget_person)
        register_merge_part(Part(lines=merging.lines, move=merging.move))
        register_holding(Holding(forget=forgetting.forget_team))
