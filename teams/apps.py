from django.apps import AppConfig
from django.db.models.signals import post_migrate


class TeamsConfig(AppConfig):
    name = "teams"

    def ready(self) -> None:
        from accounts.signals import register_invited_address, register_new_user_hook
        from teams import access
        from teams.invitations import invited_address
        from teams.roles import sync_built_in_roles
        from teams.services import create_personal_team

        access.register()
        register_new_user_hook(create_personal_team)
        register_invited_address(invited_address)
        post_migrate.connect(sync_built_in_roles, sender=self, dispatch_uid="teams.sync_built_in_roles")
