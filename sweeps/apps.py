from django.apps import AppConfig


class SweepsConfig(AppConfig):
    name = "sweeps"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from common.search import register_search
        from sweeps import access, audit_words, known_limits, names
        from sweeps.pages.search import find_sweeps

        access.register()
        names.register_paths()
        audit_words.register()
        known_limits.register()
        self._take_part()
        register_search(_("Sweeps"), icon="workflow", rank=22, find=find_sweeps)

    def _take_part(self) -> None:
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from runs.bulk_actions.catalogue import register_bulk_action
        from runs.lifecycle.participants import register_run_participant
        from runs.names.sweep_names import register_sweep_names
        from sweeps.lifecycle import account_merge
        from sweeps.lifecycle.membership import remove_from_sweep
        from sweeps.pages.run import names_of
        from sweeps.run_participant import SweepsRunParticipant

        register_run_participant(SweepsRunParticipant())
        register_account_participant(
            AccountParticipant(preview_merge=account_merge.preview_merge, merge=account_merge.merge)
        )
        register_sweep_names(names_of)
        register_bulk_action(
            "remove_from_sweep",
            lambda actor, run_ids, values: remove_from_sweep(actor=actor, run_ids=run_ids),
        )
