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
        self._register_pages()

    def _register_pages(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from artifacts.pages.search import find_collections
        from common.search import register_search

        register_search(_("Artifacts"), icon="package", rank=25, find=find_collections)
