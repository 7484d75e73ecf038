from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from alerts import access, audit_words, automation_sections, settings_sections
        from alerts.automation import registration

        access.register()
        audit_words.register()
        settings_sections.register()
        automation_sections.register()
        registration.register()
