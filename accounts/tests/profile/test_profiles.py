"""The sections Profile, Beta features and Language (ACC-1, ACC-2, ACC-5, UI-9), and the pictures of names."""

from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.mail import send_mail
from django.test import Client
from django.utils.translation import gettext as _

from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import Picture, Profile, User
from accounts.profile import services as profiles
from accounts.profile.services import Link, ProfileFields
from accounts.settings import preferences
from accounts.tests.profile.test_pictures import encoded, halves
from common.errors import Invalid, NotFound
from tests.factories import UserFactory, actor

pytestmark = pytest.mark.django_db
TWO_LANGUAGES = [("en", "English"), ("ja", "Japanese")]


@pytest.fixture
def ada(client: Client) -> User:
    user: User = UserFactory(username="ada")
    client.force_login(user)
    return user


def test_settings_lead_to_the_profile(client: Client, ada: User):
    """ACC-2."""
    assert client.get("/settings").headers["Location"] == "/settings/profile"
    assert client.get("/settings/profile").status_code == 200


def test_the_profile_is_saved_and_shown_again(client: Client, ada: User):
    """ACC-1: display name, institution, bio, location, links."""
    given = {
        "display_name": "Ada Moreau", "bio": "Trains small models.", "institution": "Aurora Labs", "location": "Lyon",
        "label_1": "Home", "url_1": "https://ada.example/", "label_2": "", "url_2": "www.lab.example/a",
    }  # fmt: skip
    assert client.post("/settings/profile", given).headers["Location"] == "/settings/profile"
    profile = Profile.objects.get(claim__text="ada")
    assert profile.links == [
        {"label": "Home", "url": "https://ada.example/"},
        {"label": "lab.example", "url": "https://www.lab.example/a"},
    ]
    ada.refresh_from_db()
    assert (ada.display_name, profile.institution, profile.location) == ("Ada Moreau", "Aurora Labs", "Lyon")
    assert AuditEntry.objects.filter(action="account.update", user=ada).exists()
    page = client.get("/settings/profile").content.decode()
    for shown in ("Ada Moreau", "Trains small models.", "Aurora Labs", "Lyon", "https://ada.example/"):
        assert shown in page


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://host/x"])
def test_a_link_that_is_no_web_address_is_refused_beside_its_field(client: Client, ada: User, url: str):
    response = client.post("/settings/profile", {"url_1": url})
    assert response.status_code == 422
    assert not Profile.objects.exists()
    with pytest.raises(Invalid):
        profiles.change_words(actor=actor(ada), row=ada, words=ProfileFields(links=[Link("x", url)]))


def test_nobody_changes_the_profile_of_another(ada: User):
    with pytest.raises(NotFound):
        profiles.change_intro(actor=actor(UserFactory()), row=ada, intro="mine now")
    with pytest.raises(NotFound):
        preferences.choose_theme(actor=actor(UserFactory()), user=ada, theme="dark")


def test_an_intro_that_is_too_long_is_refused(ada: User):
    with pytest.raises(Invalid, match="at most 50000 characters"):
        profiles.change_intro(actor=SYSTEM, row=ada, intro="x" * 50_001)


def test_a_picture_is_sent_shown_everywhere_and_removed(client: Client, ada: User):
    """ACC-1."""
    sent = SimpleUploadedFile("me.png", encoded(halves()))
    client.post("/settings/profile/picture", {"picture": sent, "left": "0", "top": "0", "side": "50"})
    ada.claim.refresh_from_db()
    address = f"/pictures/ada/{ada.claim.picture}"
    assert address in client.get("/").content.decode()
    answer = Client().get(address)  # of nobody who signed in
    assert answer.content == bytes(Picture.objects.get().content)
    assert answer["Content-Type"] == "image/webp"
    assert "immutable" in answer["Cache-Control"]
    assert answer["X-Content-Type-Options"] == "nosniff"

    client.post("/settings/profile/picture", {"remove": "1"})
    ada.claim.refresh_from_db()
    assert ada.claim.picture == ""
    assert Client().get(address, headers={"Accept": "application/json"}).status_code == 404


def test_a_picture_that_is_refused_says_why_on_the_next_page(client: Client, ada: User):
    sent = SimpleUploadedFile("me.png", b"no picture")
    page = client.post("/settings/profile/picture", {"picture": sent}, follow=True).content.decode()
    assert "Choose a PNG, JPEG or WebP image." in page
    assert not Picture.objects.exists()


def test_what_was_told_under_a_name_can_be_forgotten(client: Client, ada: User):
    """ACC-9: for whoever deletes the account."""
    sent = SimpleUploadedFile("me.png", encoded(halves()))
    profiles.change_picture(actor=SYSTEM, row=ada, upload=sent)
    profiles.change_intro(actor=SYSTEM, row=ada, intro="words")
    profiles.delete_profile(ada.claim)
    assert not Profile.objects.exists()
    assert not Picture.objects.exists()


def test_the_theme_is_one_state(client: Client, ada: User):
    """ACC-5: system until chosen; the server writes it into <html>, so nothing flashes."""
    assert 'data-theme="system"' in client.get("/settings/language").content.decode()
    page = client.post("/settings/language", {"theme": "dark"}, follow=True).content.decode()
    assert 'data-theme="dark" data-bs-theme="dark"' in page
    assert 'data-theme-choice="dark" aria-pressed="true"' in page
    assert client.post("/settings/theme", {"theme": "light"}).status_code == 204
    page = client.get("/settings/language").content.decode()
    assert 'data-bs-theme="light"' in page
    assert 'data-theme-choice="dark" aria-pressed="false"' in page
    client.post("/settings/theme", {"theme": "system"})
    ada.refresh_from_db()
    assert ada.theme == ""


def test_where_the_theme_was_leads_to_where_it_is(client: Client, ada: User):
    assert client.get("/settings/beta").headers["Location"] == "/settings/language"


def test_unknown_themes_and_languages_are_refused(client: Client, ada: User):
    assert client.post("/settings/theme", {"theme": "pink"}).status_code == 400
    assert client.post("/settings/language", {"theme": "pink"}).status_code == 400
    assert client.post("/settings/language", {"language": "xx"}).status_code == 400
    assert client.post("/settings/code", {"code_saving": "often"}).status_code == 400
    assert Client().post("/settings/language/visitor", {"language": "xx"}).status_code == 400


@pytest.mark.parametrize("choice", ["always", "never", ""])
def test_whether_code_is_saved_is_chosen_in_the_settings(client: Client, ada: User, choice: str):
    """TEAM-8."""
    page = client.post("/settings/code", {"code_saving": choice}, follow=True).content.decode()
    assert f'value="{choice}" checked' in page
    assert page.count("checked") == 1
    ada.refresh_from_db()
    assert ada.code_saving == choice


class TestLanguage:
    @pytest.fixture(autouse=True)
    def _two_languages(self, settings: Any):
        settings.LANGUAGES = TWO_LANGUAGES

    def test_what_was_chosen_comes_before_what_the_browser_asks_for(self, client: Client, ada: User):
        """UI-9."""
        asks = {"Accept-Language": "ja"}
        assert '<html lang="ja"' in client.get("/settings/language", headers=asks).content.decode()
        client.post("/settings/language", {"language": "en"})
        assert '<html lang="en"' in client.get("/settings/language", headers=asks).content.decode()
        other_browser = Client()
        other_browser.force_login(ada)
        assert '<html lang="en"' in other_browser.get("/settings/code", headers=asks).content.decode()

    def test_each_language_has_the_name_its_speakers_write(self, client: Client, ada: User):
        assert "日本語" in client.get("/settings/language").content.decode()

    def test_one_that_is_no_longer_offered_does_not_count(self, client: Client, ada: User):
        User.objects.filter(pk=ada.pk).update(language="ko")
        assert '<html lang="en"' in client.get("/settings/language").content.decode()

    def test_a_visitor_chooses_and_comes_back(self, client: Client):
        answer = client.post("/settings/language/visitor", {"language": "ja", "next": "/accounts/login/"})
        assert answer.headers["Location"] == "/accounts/login/"
        assert '<html lang="ja"' in client.get("/accounts/login/").content.decode()
        stranger = {"language": "ja", "next": "https://elsewhere.example/"}
        assert client.post("/settings/language/visitor", stranger).headers["Location"] == "/"

    def test_mails_speak_the_language_of_whoever_gets_them(self, ada: User):
        preferences.choose_language(actor=SYSTEM, user=ada, language="ja")
        for user in (ada, None):
            with preferences.in_language_of(user):
                send_mail(_("January"), "text", None, ["someone@example.com"])
        assert [one.subject for one in mail.outbox] == ["1月", "January"]
