from django.apps import AppConfig


class ArtifactsConfig(AppConfig):
    name = "artifacts"

    def ready(self) -> None:
        from artifacts import access, audit_words, known_limits
        from artifacts.drafts.blob_owner import ArtifactBlobOwner, ManifestBlobOwner
        from storage import owners

        access.register()
        audit_words.register()
        known_limits.register()
        owners.register_blob_owner(ArtifactBlobOwner())
        owners.register_blob_owner(ManifestBlobOwner())
