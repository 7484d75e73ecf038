"""ACC-1, TEAM-2: one name space of users, teams and organizations."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from access.actor import SYSTEM
from accounts.lifecycle.names import MAX_LENGTH, RESERVED, check_name
from accounts.lifecycle.services import claim_name, create_user
from accounts.models import Name, User
from common.errors import Conflict, Invalid
from tests.factories import OrganizationFactory, ServiceAccountFactory, TeamFactory, UserFactory


@pytest.mark.parametrize("name", ["ada", "Ada.Lovelace", "a", "0x", "team-1_b", "x" * MAX_LENGTH])
def test_letters_digits_and_three_marks_make_a_name(name: str):
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * (MAX_LENGTH + 1),
        ".hidden",
        "-x",
        "_x",
        "a/b",
        "a b",
        "a\n",
        "\n",
        "é",
        "a\x00",
        "..",
        "wandb-registry-x",
    ],
)
def test_other_names_are_refused(name: str):
    with pytest.raises(Invalid):
        check_name(name)


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_reserved_names_are_refused_whatever_their_case(name: str):
    for spelling in (name, name.upper(), name.title()):
        with pytest.raises(Invalid):
            check_name(spelling)


@given(name=st.text(max_size=70))
@example(name="API")
def test_an_accepted_name_is_safe_in_a_path(name: str):
    try:
        check_name(name)
    except Invalid:
        return
    assert name.isascii()
    assert name[0].isalnum()
    assert not set(name) & set("/?#%& \n")


@pytest.mark.django_db
class TestOneNameSpace:
    @pytest.mark.parametrize("kind", [UserFactory, TeamFactory, OrganizationFactory])
    @pytest.mark.parametrize("taken_by", [UserFactory, TeamFactory, OrganizationFactory])
    def test_a_name_is_taken_once_whatever_its_case(self, kind, taken_by):
        taker = {"username": "Taken"} if taken_by is UserFactory else {"name": "Taken"}
        taken_by(**taker)
        with pytest.raises(Conflict, match="taken by another user, team or organization"):
            kind(
                **(
                    {"username": "tAKEN", "email": "other@example.com"}
                    if kind is UserFactory
                    else {"name": "tAKEN"}
                )
            )

    def test_a_name_is_never_given_again(self):
        user = UserFactory(username="gone")
        user.claim.team.subscription.delete()
        user.claim.team.delete()
        user.delete()
        with pytest.raises(Conflict):
            claim_name("Gone")

    def test_a_refused_user_leaves_nothing_behind(self):
        """The name, the user and the personal team are made together or not at all."""
        before = Name.objects.count(), User.objects.count()
        with pytest.raises(Invalid):
            create_user(actor=SYSTEM, username="no spaces", email="x@example.com")
        assert (Name.objects.count(), User.objects.count()) == before

    def test_an_address_belongs_to_one_person(self):
        UserFactory(email="ada@example.com")
        with pytest.raises(Conflict, match="belongs to another account"):
            UserFactory(email="ADA@example.com")

    def test_a_person_has_a_personal_team_and_a_program_has_none(self):
        user = UserFactory(username="ada")
        assert user.claim.team.is_personal
        assert user.claim.team.name == "ada"
        assert not hasattr(ServiceAccountFactory(team=TeamFactory()).user.claim, "team")
