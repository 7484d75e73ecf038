"""REST: one's own email addresses."""

from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT

from access.engine import require
from access.rest.policy import actor_of, signed_in
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from accounts.access import AccountAction
from accounts.email_addresses import services as emails
from accounts.models import User
from common.rest.responses import OldestFirstPagination, validated


class EmailSerializer(serializers.ModelSerializer[EmailAddress]):
    """An address of yours."""

    verified = serializers.BooleanField(help_text="Whether the link that was mailed to it was opened.")
    primary = serializers.BooleanField(help_text="Whether mail goes to it.")

    class Meta:
        model = EmailAddress
        fields: ClassVar[list[str]] = ["id", "email", "verified", "primary"]


class EmailCreateSerializer(serializers.Serializer[Any]):
    """What adds an address."""

    email = serializers.EmailField(max_length=254)


@declare(AccountAction.MANAGE_EMAILS)
class EmailViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[EmailAddress]):
    """One's own email addresses."""

    tag = "Me"
    queryset = EmailAddress.objects.all()
    serializer_class = EmailSerializer
    pagination_class = OldestFirstPagination
    view_action = AccountAction.MANAGE_EMAILS
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"create", "destroy", "resend", "primary"})
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("list", "create", "retrieve", "destroy", "resend", "primary"), AccountAction.MANAGE_EMAILS
    )

    def get_queryset(self) -> QuerySet[EmailAddress]:
        """Return the caller's own, whoever asks with which rights."""
        return emails.emails_of(signed_in(self.request))

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List your email addresses, oldest first."""
        actor = signed_in(request)
        require(actor, AccountAction.MANAGE_EMAILS, User.objects.get(pk=actor.lookup_id))
        return super().list(request, *args, **kwargs)

    @extend_schema(request=EmailCreateSerializer, responses={201: EmailSerializer})
    def create(self, request: Request) -> Response:
        """Add an email address; a verification link is sent to it."""
        actor = signed_in(request)
        body = validated(EmailCreateSerializer, request.data)
        user = User.objects.get(pk=actor.lookup_id)
        address = emails.add_email(actor=actor, user=user, request=request._request, **body)
        return Response(EmailSerializer(address).data, status=HTTP_201_CREATED)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return one of your email addresses."""
        return super().retrieve(request, *args, **kwargs)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete an email address other than the primary one."""
        emails.delete_email(actor=actor_of(request), address=self.get_object(), request=request._request)
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def resend(self, request: Request, pk: str) -> Response:
        """Send the verification link again, at most once every three minutes."""
        emails.send_link(actor=actor_of(request), address=self.get_object(), request=request._request)
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def primary(self, request: Request, pk: str) -> Response:
        """Make a verified address primary; the old and the new address are notified."""
        row = emails.make_primary(
            actor=actor_of(request), address=self.get_object(), request=request._request
        )
        return Response(EmailSerializer(row).data)
