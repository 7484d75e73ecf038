"""Routes of the SDK's protocol that Django serves; the lean ones are in ``config.asgi``."""

from django.urls import path

from wandb_api import views

urlpatterns = [path("graphql", views.graphql, name="graphql")]
