"""Routes of artifacts and registries.

They come before other routes that end in names people choose: a registry may be called as a page of a project is.
"""

from django.urls import path

from artifacts.views import collection, comparison, files, project, retention, run, version
from artifacts.views.registries import link, lists, members, registry, settings
from common.web.url_paths import chosen
from runs.names.run_ids import RUN_ROUTE

app_name = "artifacts"
_PROJECT = "<str:entity>/<str:project>/artifacts"
_COLLECTION = f"{_PROJECT}/<str:type>/<str:name>"
_VERSION = f"{_COLLECTION}/<str:label>"
_REGISTRY = "registry/<str:entity>/<str:name>"
_AS_PROJECT = "<str:entity>/<registry_name:name>"
_REGISTRIES = [
    path("registry", lists.registries, name="registries"),
    path("settings/registries/deleted", lists.deleted, name="deleted_registries"),
    path("organizations/<str:entity>/registries/new", lists.new_registry, name="new_registry"),
    path("projects/<str:entity>/model-registry/new", lists.new_model_registry, name="new_model_registry"),
    path("registry/<str:entity>", lists.registries_of, name="registries_of"),
    path(_REGISTRY, registry.registry, name="registry"),
    path(f"{_REGISTRY}/members", members.members, name="registry_members"),
    path(f"{_REGISTRY}/members/<str:act>", members.members_act, name="registry_members_act"),
    path(f"{_REGISTRY}/settings", settings.settings, name="registry_settings"),
    path(f"{_REGISTRY}/delete", settings.delete, name="registry_delete"),
    *(
        path(f"{_AS_PROJECT}{page}", registry.project_page, name="registry_as_project")
        for page in ("/overview", "/workspace", "")
    ),
]
urlpatterns = [
    *_REGISTRIES,
    path("teams/<str:entity>/artifacts", retention.retention, name="retention"),
    path(_PROJECT, project.artifacts, name="artifacts"),
    path(f"{_PROJECT}/deleted", project.deleted, name="deleted"),
    path(_COLLECTION, collection.collection, name="collection"),
    path(f"{_COLLECTION}/acts/update", collection.collection_update, name="collection_update"),
    path(f"{_COLLECTION}/acts/delete", collection.collection_delete, name="collection_delete"),
    path(f"{_COLLECTION}/acts/delete-versions", collection.versions_delete, name="versions_delete"),
    path(f"{_COLLECTION}/acts/restore-versions", collection.versions_restore, name="versions_restore"),
    path(_VERSION, version.version, name="version"),
    path(f"{_VERSION}/files", files.files, name="files"),
    path(f"{_VERSION}/files/{chosen('path')}", files.file, name="file"),
    path(f"{_VERSION}/lineage", version.lineage, name="lineage"),
    path(f"{_VERSION}/compare", comparison.compare, name="compare"),
    path(f"{_VERSION}/link", link.link, name="version_link"),
    path(f"{_VERSION}/update", version.version_update, name="version_update"),
    path(f"{_VERSION}/aliases", version.version_aliases, name="version_aliases"),
    path(f"{_VERSION}/delete", version.version_delete, name="version_delete"),
    path(f"{RUN_ROUTE}/artifacts", run.run_artifacts, name="run_artifacts"),
    path(f"{RUN_ROUTE}/artifacts/file", run.run_file, name="run_file"),
]
