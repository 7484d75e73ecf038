from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "alerts"

    def ready(self) -> None:
        from alerts import access
        from alerts.automation import registration

        access.register()
        registration.register()
