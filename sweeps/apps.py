from django.apps import AppConfig


class SweepsConfig(AppConfig):
    name = "sweeps"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from common.search import register_search
        from runs.lifecycle.participants import register_run_participant
        from sweeps import access, audit_words, known_limits
        from sweeps.lifecycle import account_merge
        from sweeps.pages.search import find_sweeps
        from sweeps.run_participant import SweepsRunParticipant

        access.register()
        audit_words.register()
        known_limits.register()
        register_run_participant(SweepsRunParticipant())
        register_account_participant(
            AccountParticipant(preview_merge=account_merge.preview_merge, merge=account_merge.merge)
        )
        register_search(_("Sweeps"), icon="workflow", rank=22, find=find_sweeps)
