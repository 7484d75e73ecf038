from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
        from exports import access, account_merge, audit_words, known_limits
        from exports.archive.blob_owner import ExportBlobOwner
        from storage import owners
        from teams.access import TeamAction

        access.register()
        audit_words.register()
        known_limits.register()
        register_account_participant(
            AccountParticipant(preview_merge=account_merge.preview_merge, merge=account_merge.merge)
        )
        owners.register_blob_owner(ExportBlobOwner())
        words, group = _("download archive backup data takeout"), SectionGroup.USAGE
        register_sections(
            SettingsScope.USER, Section(_("Export"), "download", "exports:own", group, 40, words=words)
        )
        register_sections(
            SettingsScope.TEAM,
            Section(_("Export"), "download", "exports:team", group, 50, TeamAction.EXPORT),
        )
