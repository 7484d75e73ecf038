from django.apps import AppConfig
from django.db.models.signals import post_migrate, post_save


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing import access, audit_words, settings_sections

        access.register()
        audit_words.register()
        settings_sections.register()
        self._register_people()
        self._register_plans()
        self._register_metering()

    def _register_people(self) -> None:
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from accounts.lifecycle.deletion import register_account_part
        from billing import ending, merging, subscriptions
        from billing.services import admins
        from teams.policy import hooks

        hooks.register_organization_hook(subscriptions.begin_for_organization)
        hooks.register_personal_hook(subscriptions.begin_for_person)
        hooks.register_admin_guard(admins.keep_a_billing_admin)
        hooks.register_end_hook(ending.end_organization)
        register_account_part(erase=admins.remove_person, obstacles=ending.obstacles_of)
        register_merge_part(Part(lines=merging.lines, move=merging.move))
        post_migrate.connect(
            subscriptions.sync_subscriptions, sender=self, dispatch_uid="billing.sync_subscriptions"
        )

    def _register_plans(self) -> None:
        from billing.asking import about_plan, can_compare
        from billing.features import has_feature_by_plan, having_by_plan
        from billing.models import Subscription
        from billing.noticing import on_subscription_saved
        from billing.room import check_room
        from billing.seats import check_seat
        from storage.quota import register_room_check
        from teams.policy.features import register_feature_answer, register_plan_words
        from teams.policy.seats import register_seat_check

        register_feature_answer(has_feature_by_plan, among=having_by_plan)
        register_plan_words(about_plan, can_compare=can_compare)
        register_seat_check(check_seat)
        register_room_check(check_room)
        post_save.connect(
            on_subscription_saved, sender=Subscription, dispatch_uid="billing.on_subscription_saved"
        )

    def _register_metering(self) -> None:
        from billing.metering import backfill, gpus, hardware, intervals
        from metrics.ingest.branching import register_rewind_hook
        from runs.lifecycle.hooks import register_move_hook, register_state_hook, register_training_hook
        from runs.lifecycle.purge import register_preparation

        register_state_hook(intervals.note_state)
        register_move_hook(intervals.note_move)
        register_training_hook(backfill.backfill_run)
        register_training_hook(gpus.note_training)
        register_preparation(hardware.measure_run)
        register_rewind_hook(hardware.follow_rewind)
        post_migrate.connect(
            backfill.backfill_after_migration, sender=self, dispatch_uid="billing.backfill_metering"
        )
