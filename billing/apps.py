from django.apps import AppConfig
from django.db.models.signals import post_migrate, post_save


class BillingConfig(AppConfig):
    name = "billing"

    def ready(self) -> None:
        from billing import access, audit_words, settings_sections
        from billing.usage_policy import BillingUsagePolicy
        from usage.policy import set_usage_policy

        set_usage_policy(BillingUsagePolicy())
        access.register()
        audit_words.register()
        settings_sections.register()
        self._register_people()
        self._register_plans()

    def _register_people(self) -> None:
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from billing import account_closure, account_merge
        from billing.billing_admins import services as admins
        from billing.subscriptions import services as subscriptions

        register_account_participant(
            AccountParticipant(
                obstacles=account_closure.obstacles_of,
                erase=admins.remove_person,
                preview_merge=account_merge.preview_merge,
                merge=account_merge.merge,
            )
        )
        post_migrate.connect(
            subscriptions.sync_subscriptions, sender=self, dispatch_uid="billing.sync_subscriptions"
        )

    def _register_plans(self) -> None:
        from billing.limits.warnings import on_subscription_saved
        from billing.models import Subscription
        from billing.plan_policy import BillingPlanPolicy
        from teams.plan_policy import set_plan_policy

        set_plan_policy(BillingPlanPolicy())
        post_save.connect(
            on_subscription_saved, sender=Subscription, dispatch_uid="billing.on_subscription_saved"
        )
