"""REST routes of people's own things."""

from typing import Any

from django.urls import re_path

from accounts.api.emails import EmailViewSet
from accounts.api.keys import ApiKeyViewSet
from accounts.api.pictures import MePictureViewSet
from common.rest.routers import Router

router = Router()
router.register("keys", ApiKeyViewSet, basename="api-key")
router.register("emails", EmailViewSet, basename="api-email")
PICTURE: dict[str, Any] = {"get": "retrieve", "put": "update", "delete": "destroy"}
picture = MePictureViewSet.as_view(PICTURE, detail=True)
urlpatterns = [re_path("^me/picture/?$", picture, name="api-me-picture"), *router.urls]
