from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "common"

    def ready(self) -> None:
        from django.core.signals import got_request_exception

        from common.budgets import statements
        from common.database.replica.routing import request_failed
        from common.telemetry import readings, tasks

        tasks.listen()
        statements.watch()
        got_request_exception.connect(request_failed)
        readings.register()
