"""REST routes of storage."""

from typing import Any

from django.urls import re_path

from storage.api.team_bucket import TeamBucketViewSet

_STORAGE = "^teams/(?P<team>[^/]+)/storage"
_ONE: dict[str, Any] = {"get": "retrieve", "put": "update", "patch": "partial_update", "delete": "destroy"}

urlpatterns = [
    re_path(f"{_STORAGE}/?$", TeamBucketViewSet.as_view(_ONE, detail=True), name="api-team-storage"),
    re_path(
        f"{_STORAGE}/check/?$",
        TeamBucketViewSet.as_view({"post": "check"}, detail=True),
        name="api-team-storage-check",
    ),
    re_path(
        f"{_STORAGE}/retry/?$",
        TeamBucketViewSet.as_view({"post": "retry"}, detail=True),
        name="api-team-storage-retry",
    ),
]
