from django.apps import AppConfig


class ArtifactsConfig(AppConfig):
    name = "artifacts"

    def ready(self) -> None:
        from access.grants import register_grants
        from artifacts import access, audit_words, known_limits
        from artifacts.drafts.blob_owner import ArtifactBlobOwner, ManifestBlobOwner
        from artifacts.registries.grants import RegistryRoles
        from artifacts.registries.paths import register_names
        from storage import owners

        access.register()
        register_grants(RegistryRoles())
        register_names()
        audit_words.register()
        known_limits.register()
        owners.register_blob_owner(ArtifactBlobOwner())
        owners.register_blob_owner(ManifestBlobOwner())
        self._take_part()
        self._register_pages()

    def _take_part(self) -> None:
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from artifacts.registries import accounts
        from artifacts.registries.services import create_core_registries
        from artifacts.retention import account_merge, purge
        from artifacts.run_participant import ArtifactsRunParticipant
        from runs.lifecycle.participants import register_run_participant
        from teams.organizations.participants import (
            OrganizationParticipant,
            register_organization_participant,
        )
        from teams.teams.participants import TeamParticipant, register_team_participant

        register_run_participant(ArtifactsRunParticipant())
        register_organization_participant(OrganizationParticipant(create=create_core_registries))
        register_team_participant(TeamParticipant(give_up=purge.purge_of_team))
        register_account_participant(
            AccountParticipant(preview_merge=account_merge.preview_merge, merge=account_merge.merge)
        )
        register_account_participant(
            AccountParticipant(
                erase=accounts.erase, preview_merge=accounts.preview_merge, merge=accounts.merge
            )
        )

    def _register_pages(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
        from artifacts.access import ArtifactAction
        from artifacts.pages.search import find_collections, find_registries
        from common.search import register_search

        words, label = _("retention time to live expiry keep delete storage"), _("Artifact retention")
        register_sections(
            SettingsScope.TEAM,
            Section(
                label,
                "clock",
                "artifacts:retention",
                SectionGroup.GENERAL,
                rank=40,
                needs=ArtifactAction.SET_RETENTION,
                words=words,
            ),
        )
        register_search(_("Artifacts"), icon="package", rank=25, find=find_collections)
        register_search(_("Registries"), icon="library", rank=24, find=find_registries)
