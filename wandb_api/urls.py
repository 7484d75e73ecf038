"""Routes of the SDK's protocol that Django serves; the lean ones are in ``config.asgi``."""

from django.urls import path

from wandb_api.views import graphql, weave

urlpatterns = [
    path("graphql", graphql.graphql, name="graphql"),
    path("traces/server_info", weave.server_info, name="weave-server-info"),
    path("traces/<path:rest>", weave.nothing, name="weave-nothing"),
]
