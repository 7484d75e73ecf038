from django.apps import AppConfig
from django.db.models.signals import post_migrate


class UsageConfig(AppConfig):
    name = "usage"

    def ready(self) -> None:
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from usage import audit_words, settings_sections
        from usage.metering import account_merge

        audit_words.register()
        settings_sections.register()
        register_merge_part(Part(lines=account_merge.lines, move=account_merge.move))
        self._register_metering()

    def _register_metering(self) -> None:
        from metrics.ingest.branching import register_rewind_hook
        from runs.lifecycle.hooks import register_move_hook, register_state_hook, register_training_hook
        from runs.lifecycle.purge import register_preparation
        from usage.metering import backfill, gpus, hardware, intervals

        register_state_hook(intervals.note_state)
        register_move_hook(intervals.note_move)
        register_training_hook(backfill.backfill_run)
        register_training_hook(gpus.note_training)
        register_preparation(hardware.measure_run)
        register_rewind_hook(hardware.follow_rewind)
        post_migrate.connect(
            backfill.backfill_after_migration, sender=self, dispatch_uid="usage.backfill_metering"
        )
