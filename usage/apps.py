from django.apps import AppConfig
from django.db.models.signals import post_migrate


class UsageConfig(AppConfig):
    name = "usage"

    def ready(self) -> None:
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from runs.lifecycle import participants
        from usage import audit_words, settings_sections
        from usage.metering import account_merge, backfill
        from usage.metering.run_participant import MeteringRunParticipant

        audit_words.register()
        settings_sections.register()
        register_account_participant(
            AccountParticipant(
                preview_merge=account_merge.preview_merge,
                merge=account_merge.merge,
            )
        )
        participants.register_run_participant(MeteringRunParticipant())
        post_migrate.connect(
            backfill.backfill_after_migration, sender=self, dispatch_uid="usage.backfill_metering"
        )
