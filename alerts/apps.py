from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from alerts import access, audit_words, settings_sections

        access.register()
        audit_words.register()
        settings_sections.register()
