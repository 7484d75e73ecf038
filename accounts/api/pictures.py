"""REST: the picture of a person, team or organization; who has one is for the apps above to say."""

import math
from collections.abc import Mapping
from typing import IO, Any, ClassVar, cast

from django.core.files.uploadedfile import SimpleUploadedFile
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_204_NO_CONTENT
from rest_framework.viewsets import ViewSet

from access.engine import require
from access.rest.policy import actor_of, signed_in
from access.routes import Open, declare
from accounts.access import AccountAction
from accounts.models import User
from accounts.profile import services as profiles
from accounts.profile.pictures import MAX_BYTES, Crop
from accounts.profile.services import Named
from common.rest.responses import validated


class ImageParser(BaseParser):
    """A picture that is the whole body."""

    media_type = "image/*"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return it as the field of a form would; of one that is too large, enough to tell."""
        content = stream.read(MAX_BYTES + 1)
        return {"picture": SimpleUploadedFile("picture", content, media_type or self.media_type)}


class PictureSerializer(serializers.Serializer[Any]):
    """Where the picture is."""

    picture = serializers.CharField(
        source="claim.picture_url", help_text="Its path, which changes with it; empty: none."
    )


class _Pixels(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        value: float = super().to_internal_value(data)
        if not math.isfinite(value):
            self.fail("invalid")
        return value


class PictureUpdateSerializer(serializers.Serializer[Any]):
    """A picture, and the square of it to keep: all three numbers, in pixels, or none for the middle."""

    picture = serializers.FileField(help_text="PNG, JPEG or WebP; 5 MB at most.")
    left = _Pixels(required=False)
    top = _Pixels(required=False)
    side = _Pixels(required=False, min_value=1)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Make one thing of the three numbers."""
        square = [attrs.pop(name, None) for name in ("left", "top", "side")]
        given = [number for number in square if number is not None]
        if given and len(given) < len(square):
            raise serializers.ValidationError("Give left, top and side, or none of them.")
        return attrs | {"crop": Crop(*given) if given else None}


_TAKES: Any = {
    "multipart/form-data": PictureUpdateSerializer,
    **dict.fromkeys(("image/png", "image/jpeg", "image/webp"), OpenApiTypes.BINARY),
}


class PictureViewSet(ViewSet):
    """What the pictures of all have in common."""

    parser_classes = (MultiPartParser, ImageParser)

    def row(self, request: Request) -> Named:
        """Return whose picture it is, if the endpoint's action is allowed."""
        raise NotImplementedError

    @extend_schema(responses=PictureSerializer)
    def retrieve(self, request: Request, **kwargs: str) -> Response:
        """Return the URL of the picture."""
        return Response(PictureSerializer(self.row(request)).data)

    @extend_schema(request=_TAKES, responses=PictureSerializer)
    def update(self, request: Request, **kwargs: str) -> Response:
        """Upload a picture, as a form or as the body; it is cropped to 256 × 256 pixels, and metadata is removed.

        By itself it is the whole body, with its own content type; then its middle is taken.
        """
        row, given = self.row(request), cast("Mapping[str, Any]", request.data)
        body = validated(
            PictureUpdateSerializer, dict(given.items())
        )  # of a form, too, whose values are lists
        upload = body.pop("picture")
        profiles.change_picture(actor=actor_of(request), row=row, upload=upload, **body)
        return Response(PictureSerializer(row).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Remove the picture; the initials of the name are shown instead."""
        profiles.remove_picture(actor=actor_of(request), row=self.row(request))
        return Response(status=HTTP_204_NO_CONTENT)


@declare(Open.ANYONE)  # it says 401 to nobody
class MePictureViewSet(PictureViewSet):
    """One's own picture."""

    tag = "Me"
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("retrieve", "update", "destroy"), AccountAction.UPDATE
    )

    def row(self, request: Request) -> User:
        """Return who asks; like all of `me`, their picture's address is for each of their keys."""
        actor = signed_in(request)
        user = User.objects.select_related("claim").get(pk=actor.lookup_id)
        if request.method != "GET":
            require(actor, AccountAction.UPDATE, user)
        return user
