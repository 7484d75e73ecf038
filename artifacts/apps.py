from django.apps import AppConfig


class ArtifactsConfig(AppConfig):
    name = "artifacts"

    def ready(self) -> None:
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from artifacts import access, audit_words, known_limits
        from artifacts.retention import account_merge, purge
        from artifacts.run_participant import ArtifactsRunParticipant
        from artifacts.uploads.blob_owner import ArtifactBlobOwner, ManifestBlobOwner
        from runs.lifecycle.participants import register_run_participant
        from storage import owners
        from teams.teams.participants import TeamParticipant, register_team_participant

        access.register()
        audit_words.register()
        known_limits.register()
        owners.register_blob_owner(ArtifactBlobOwner())
        owners.register_blob_owner(ManifestBlobOwner())
        register_run_participant(ArtifactsRunParticipant())
        register_team_participant(TeamParticipant(give_up=purge.purge_of_team))
        register_account_participant(
            AccountParticipant(preview_merge=account_merge.preview_merge, merge=account_merge.merge)
        )
