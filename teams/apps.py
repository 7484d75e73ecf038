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
        from teams import access, audit_words, known_limits, merging, settings_sections
        from teams.deletion import erase_with, obstacles_of
        from teams.hooks import register_leave_hook
        from teams.invitations import invited_address
        from teams.key_policy import check_new_key
        from teams.roles import sync_roles
        from teams.scim.held import hold_given_teams
        from teams.service_account_keys import contacts_of
        from teams.services import create_personal_team
        from teams.sso_groups import join_teams_of_groups

        access.register()
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
        register_leave_hook(hold_given_teams)
        register_groups_hook(join_teams_of_groups)
        register_merge_part(Part(lines=merging.lines, move=merging.move))
        post_migrate.connect(sync_roles, sender=self, dispatch_uid="teams.sync_roles")
