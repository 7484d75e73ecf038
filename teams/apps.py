from django.apps import AppConfig
from django.db.models.signals import post_migrate


class TeamsConfig(AppConfig):
    name = "teams"

    def ready(self) -> None:
        from django.urls import reverse
        from django.utils.translation import gettext_lazy as _

        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from accounts.membership_policy import set_membership_policy
        from accounts.profile.services import register_profile
        from common.search import Action, register_actions
        from teams import access, account_merge, audit_words, grants, known_limits, settings_sections
        from teams.membership_policy import TeamMembershipPolicy
        from teams.roles.builtin import sync_roles
        from teams.teams.deletion import erase_person, obstacles_of

        access.register()
        grants.register()
        audit_words.register()
        settings_sections.register()
        known_limits.register()
        register_profile("teams.Team", access.TeamAction.MANAGE_SETTINGS)
        register_profile("teams.Organization", access.OrganizationAction.MANAGE_SETTINGS)
        set_membership_policy(TeamMembershipPolicy())
        register_account_participant(
            AccountParticipant(
                obstacles=obstacles_of,
                erase=erase_person,
                preview_merge=account_merge.preview_merge,
                merge=account_merge.merge,
            )
        )
        post_migrate.connect(sync_roles, sender=self, dispatch_uid="teams.sync_roles")
        register_actions(
            Action(
                _("Invite people"),
                "user-plus",
                lambda _actor: reverse("teams:invite_your_team"),
                _("member team"),
            ),
            Action(_("New team"), "users", lambda _actor: reverse("teams:new"), _("create organization")),
        )
