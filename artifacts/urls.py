"""Routes of artifacts. They end in names that people choose, so they are included last."""

from django.urls import path

from artifacts.views import collection, comparison, files, project, retention, run, version
from runs.names.run_ids import RUN_ROUTE

app_name = "artifacts"
_PROJECT = "<str:entity>/<str:project>/artifacts"
_COLLECTION = f"{_PROJECT}/<str:type>/<str:name>"
_VERSION = f"{_COLLECTION}/<str:label>"
urlpatterns = [
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
    path(f"{_VERSION}/files/<path:path>", files.file, name="file"),
    path(f"{_VERSION}/lineage", version.lineage, name="lineage"),
    path(f"{_VERSION}/compare", comparison.compare, name="compare"),
    path(f"{_VERSION}/update", version.version_update, name="version_update"),
    path(f"{_VERSION}/aliases", version.version_aliases, name="version_aliases"),
    path(f"{_VERSION}/delete", version.version_delete, name="version_delete"),
    path(f"{RUN_ROUTE}/artifacts", run.run_artifacts, name="run_artifacts"),
    path(f"{RUN_ROUTE}/artifacts/file", run.run_file, name="run_file"),
]
