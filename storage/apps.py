from django.apps import AppConfig


class StorageConfig(AppConfig):
    name = "storage"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
        from common.backups.elsewhere import register_elsewhere
        from storage import known_limits
        from storage.buckets.services import count_contents
        from storage.team_buckets.new_teams import NewTeamConnector
        from teams.access import TeamAction
        from teams.teams.new_bucket import register_bucket_connector

        known_limits.register()
        register_elsewhere(count_contents)
        register_bucket_connector(NewTeamConnector())
        words = _("bucket s3 gcs azure byob files")
        register_sections(
            SettingsScope.TEAM,
            Section(
                _("Storage connector"), "database", "storage:team_bucket", SectionGroup.USAGE, 30,
                TeamAction.MANAGE_SETTINGS, words,
            ),
        )  # fmt: skip
