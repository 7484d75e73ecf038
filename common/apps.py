from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "common"

    def ready(self) -> None:
        from django.core.signals import got_request_exception

        from common.telemetry import readings, requests, tasks

        tasks.listen()
        got_request_exception.connect(requests.request_failed)
        readings.register()
