"""REST routes of logging. They come before those of runs, whose files may have any path."""

from common.rest.routers import Router
from ingest.api.runs import LoggedRunViewSet, RunViewSet

_ENTITY = r"(?P<entity>(?!\d+/files/)[^/]+)"
"""Else the file ``a/stream`` of run 7 would be a run: ``runs/7/files/a/stream``."""

router = Router()
router.register("runs", RunViewSet, basename="api-run")
router.register(
    rf"runs/{_ENTITY}/(?P<project_name>[^/]+)/(?P<uid>[^/]+)", LoggedRunViewSet, basename="api-logged-run"
)
urlpatterns = router.urls
