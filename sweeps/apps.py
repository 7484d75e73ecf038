from django.apps import AppConfig


class SweepsConfig(AppConfig):
    name = "sweeps"

    def ready(self) -> None:
        from runs.lifecycle.participants import register_run_participant
        from sweeps import access, audit_words
        from sweeps.run_participant import SweepsRunParticipant

        access.register()
        audit_words.register()
        register_run_participant(SweepsRunParticipant())
