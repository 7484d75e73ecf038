from django.apps import AppConfig
from django.db.models.signals import post_migrate


class TeamsConfig(AppConfig):
    name = "teams"

    def ready(self) -> None:
        from accounts.hooks import (
            register_groups_hook,
            register_invited_address,
            register_key_contacts,
            register_key_rule,
            register_new_user_hook,
        )
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from accounts.lifecycle.deletion import register_account_part
        from accounts.profile.services import register_profile
        from teams import access, account_merge, audit_words, grants, known_limits, settings_sections
        from teams.invitations.selectors import invited_address
        from teams.organizations.key_policy import check_new_key
        from teams.roles.builtin import sync_roles
        from teams.service_accounts.keys import contacts_of
        from teams.sso_groups.services import join_teams_of_groups
        from teams.teams.deletion import erase_with, obstacles_of
        from teams.teams.services import create_personal_team

        access.register()
        grants.register()
        audit_words.register()
        settings_sections.register()
        known_limits.register()
        register_profile("teams.Team", access.TeamAction.MANAGE_SETTINGS)
        register_profile("teams.Organization", access.OrganizationAction.MANAGE_SETTINGS)
        register_new_user_hook(create_personal_team)
        register_invited_address(invited_address)
        register_key_rule(check_new_key)
        register_key_contacts(contacts_of)
        register_account_part(erase=erase_with, obstacles=obstacles_of)
        register_groups_hook(join_teams_of_groups)
        register_merge_part(Part(lines=account_merge.lines, move=account_merge.move))
        post_migrate.connect(sync_roles, sender=self, dispatch_uid="teams.sync_roles")
