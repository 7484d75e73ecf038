"""Routes of the SDK's protocol that Django serves; the lean ones are in ``config.asgi``."""

from django.urls import path

from wandb_api.views import artifact_files, graphql, weave

urlpatterns = [
    path("graphql", graphql.graphql, name="graphql"),
    path("traces/server_info", weave.server_info, name="weave-server-info"),
    path("traces/<path:rest>", weave.nothing, name="weave-nothing"),
    path(
        "artifactsV2/<str:region>/<str:entity>/<str:project>/<str:collection>/<str:birth>/<str:digest>/<str:name>",
        artifact_files.artifact_file,
        name="artifact-file",
    ),
    path(
        "artifactsV2/<str:region>/<str:entity>/<str:project>/<str:collection>/<str:artifact>/<str:birth>/<str:digest>"
        "/<str:name>",
        artifact_files.artifact_file,
        name="artifact-file-of-version",
    ),
]
