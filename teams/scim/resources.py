"""The schemas: of RFC 7643 what Runyard keeps, and an extension for roles and access.

What a provider sends beyond them is ignored, as Okta and Microsoft Entra expect.
"""

from typing import Annotated, Any

from pydantic import EmailStr, Field
from scim2_models import (
    URN,
    AuthenticationScheme,
    Bulk,
    CaseExact,
    ChangePassword,
    ComplexAttribute,
    ETag,
    Extension,
    Filter,
    Mutability,
    Patch,
    Reference,
    Required,
    Resource,
    ResourceType,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)

MOST = 200
"""Resources on a page of a list."""
ROLES = ("admin", "member", "viewer")
ACCESS = ("full", "view_only", "none")


class PersonName(ComplexAttribute):
    """The parts of a name."""

    formatted: str | None = None
    family_name: str | None = None
    given_name: str | None = None


class PersonEmail(ComplexAttribute):
    """An address."""

    value: Annotated[EmailStr | None, Required.true] = None
    type: str | None = Field(None, examples=["work"])
    primary: bool | None = None


class PersonGroup(ComplexAttribute):
    """A team of a person's."""

    value: Annotated[str | None, Mutability.read_only] = None
    ref: Annotated[Reference["Group"] | None, Mutability.read_only] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    display: Annotated[str | None, Mutability.read_only] = None


class Membership(Extension):
    """A person's place in the organization."""

    __schema__ = URN("urn:ietf:params:scim:schemas:extension:runyard:2.0:User")

    organization_role: str | None = Field(None, examples=list(ROLES))
    models_access: str | None = Field(None, examples=list(ACCESS))
    weave_access: str | None = Field(None, examples=list(ACCESS))


class User(Resource[Any]):
    """A person of the organization."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    name: PersonName | None = None
    display_name: str | None = None
    active: bool | None = None
    emails: Annotated[list[PersonEmail] | None, Required.true, Mutability.immutable] = None
    groups: Annotated[list[PersonGroup] | None, Mutability.read_only] = None


class GroupMember(ComplexAttribute):
    """A person in a team."""

    value: Annotated[str | None, Mutability.immutable, CaseExact.true] = None
    ref: Annotated[Reference["User"] | None, Mutability.immutable] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=["User"])


class Group(Resource[Any]):
    """A team of the organization; its members are those whom SCIM put there."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true] = None
    members: list[GroupMember] | None = None


Person: Any = User.__class_getitem__(Membership)  # mypy reads an index as a type, not as a value

POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
"""What Microsoft Entra sends beyond the letter of the RFC is understood."""

CONFIG = ServiceProviderConfig(
    patch=Patch(supported=True),
    bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
    filter=Filter(supported=True, max_results=MOST),
    change_password=ChangePassword(supported=False),
    sort=Sort(supported=False),
    etag=ETag(supported=False),
    authentication_schemes=[
        AuthenticationScheme(
            type=AuthenticationScheme.Type.oauthbearertoken,
            name="API key",
            description="An API key as a Bearer token, or as the password of HTTP Basic.",
            primary=True,
        )
    ],
)
PROVIDER = ScimProvider(
    models=[User, Membership, Group],
    resource_types=[ResourceType.from_resource(Person), ResourceType.from_resource(Group)],
    config=CONFIG,
    policy=POLICY,
)
