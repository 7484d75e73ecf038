from django.apps import AppConfig
from django.db.models.signals import post_migrate, post_save


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing import access, audit_words, settings_sections
        from billing.usage_policy import PlanPolicy
        from usage.policy import set_policy

        set_policy(PlanPolicy())
        access.register()
        audit_words.register()
        settings_sections.register()
        self._register_people()
        self._register_plans()

    def _register_people(self) -> None:
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from accounts.lifecycle.deletion import register_account_part
        from billing import account_closure, account_merge
        from billing.admins import services as admins
        from billing.subscriptions import services as subscriptions
        from teams.policy import hooks

        hooks.register_organization_hook(subscriptions.begin_for_organization)
        hooks.register_personal_hook(subscriptions.begin_for_person)
        hooks.register_admin_guard(admins.keep_a_billing_admin)
        hooks.register_end_hook(account_closure.end_organization)
        register_account_part(erase=admins.remove_person, obstacles=account_closure.obstacles_of)
        register_merge_part(Part(lines=account_merge.lines, move=account_merge.move))
        post_migrate.connect(
            subscriptions.sync_subscriptions, sender=self, dispatch_uid="billing.sync_subscriptions"
        )

    def _register_plans(self) -> None:
        from billing.admins.contacts import about_plan, can_compare
        from billing.limits.seats import check_seat
        from billing.limits.storage_quota import check_room
        from billing.limits.warnings import on_subscription_saved
        from billing.models import Subscription
        from billing.subscriptions.features import has_feature_by_plan, having_by_plan
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
