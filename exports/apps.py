from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "exports"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from accounts.lifecycle.account_merge import Part, register_merge_part
        from accounts.settings.sections import Place, Section, register_sections
        from exports import access, account_merge, audit_words, known_limits
        from exports.blobs import ExportFiles
        from storage import owners
        from teams.access import TeamAction

        access.register()
        audit_words.register()
        known_limits.register()
        register_merge_part(Part(lines=account_merge.lines, move=account_merge.move))
        owners.register(ExportFiles())
        words = _("download archive backup data takeout")
        register_sections(Place.USER, Section(_("Export"), "download", "exports:own", rank=88, words=words))
        register_sections(
            Place.TEAM, Section(_("Export"), "download", "exports:team", rank=80, needs=TeamAction.EXPORT)
        )
