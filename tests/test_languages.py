"""Pages in English, Japanese and Korean, and catalogues that leave nothing out (UI-9)."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from pathlib import Path

import pytest
import time_machine
from babel.messages import Catalog, Message
from django.conf import settings
from django.template import engines
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.test import Client
from django.utils import translation

from access.actions import Preset
from accounts.models import User
from common import catalogues
from common.templatetags.runyard import relative_time
from config.env import ROOT
from teams.roles.builtin import built_in_names
from tests.factories import RunFactory
from tests.words import leftovers, words_of

MakeMember = Callable[..., User]
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%|\{\w*\}|</?\w[^>]*>|^\n|\n$")
OUR_OWN = re.compile(
    r"Runyard|CSV|NDJSON|Parquet|PDF|GB|kWh|Ctrl|Shift|Esc|brisk|set-117|su…|https://|page-[a-z]+|train\.py|\S+@example\.com|kenji"
    r"|\bstate = .*|\bconfig\.lr > .*"
)
"""What templates say in every language: names, keys, and examples of what people type."""
WITHIN_TAGS = re.compile(
    r"\{% block (width|page_attributes|frame_class) %\}.*?\{% endblock \1 %\}", re.DOTALL
)
"""Blocks of base.html for classes and attributes."""
TEMPLATES = sorted(
    path
    for path in ROOT.glob("templates/**/*.html")
    if path.relative_to(ROOT / "templates").parts[0] not in {"admin", "api"}
)
"""Those of the operators' admin and of the documentation for programs are English alone."""


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile what lies in the repository, so that no older .mo is tested, and let Django read it."""
    catalogues.compile_all()
    translation.trans_real._translations.clear()  # type: ignore[attr-defined]  # nothing public forgets them


@pytest.fixture(scope="module")
def found() -> Catalog:
    """Read the source once."""
    return catalogues.extracted()


def messages_of(language: str) -> list[Message]:
    """Return the messages of a catalogue without its header."""
    return [message for message in catalogues.read_catalogue(language) if message.id]


def forms(message: Message) -> tuple[str, ...]:
    """Return the English forms of a message."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_a_catalogue_says_what_the_source_says(language: str, found: Catalog) -> None:
    """`make messages` would change nothing (UI-9)."""
    contents = (
        catalogues.path_of(language).read_bytes(),
        catalogues.po_of(catalogues.updated(language, found)),
    )
    kept, fresh = (content.decode().splitlines(keepends=True) for content in contents)
    assert "".join(unified_diff(kept, fresh, n=0)) == ""  # pytest would compare the two for minutes


def test_built_in_roles_are_known_in_every_language() -> None:
    """TEAM-20: no custom role is called as readers in another language call a built-in one."""
    assert {"member", "メンバー", "보기 전용", "organization admin"} <= built_in_names()


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_every_message_is_translated_and_none_is_fuzzy(language: str) -> None:
    """UI-9."""
    messages = messages_of(language)
    assert [
        forms(message)[0] for message in messages if message.fuzzy or not all(catalogues.strings_of(message))
    ] == []
    assert len(messages) > 500


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_a_translation_has_the_placeholders_and_tags_of_its_message(language: str) -> None:
    for message in messages_of(language):
        for string in catalogues.strings_of(message):
            wanted = Counter(PLACEHOLDER.findall(forms(message)[-1]))
            assert Counter(PLACEHOLDER.findall(string)) == wanted, f"{message.id!r}: {string!r}"


def test_all_that_templates_translate_is_extracted(found: Catalog) -> None:
    """Django reads the templates here, Babel there."""
    known = {forms(message)[0] for message in found if message.id}
    for path in catalogues.sources():
        if path.suffix == ".py":
            continue
        nodes = engines["django"].engine.from_string(path.read_text()).nodelist  # type: ignore[attr-defined]  # of DjangoTemplates
        for node in nodes.get_nodes_by_type(TranslateNode):
            literal = getattr(node.filter_expression.var, "literal", None)
            assert literal is None or str(literal).replace("%", "%%") in known, f"{path}: {literal}"
        for node in nodes.get_nodes_by_type(BlockTranslateNode):
            assert node.render_token_list(node.singular)[0] in known, path


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "templates").as_posix())
def test_a_template_has_no_words_outside_of_gettext(path: Path) -> None:
    text = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", path.read_text(), flags=re.DOTALL)
    text = WITHIN_TAGS.sub("", text)
    text = re.sub(
        r"\{% blocktranslate\b.*?\{% endblocktranslate %\}|\{%.*?%\}|\{\{.*?\}\}", "", text, flags=re.DOTALL
    )
    left = [OUR_OWN.sub("", words) for words in words_of(text)]
    assert [words for words in left if re.search(r"[A-Za-z]{2}", words)] == []


def test_the_catalogues_are_those_of_the_languages_to_choose() -> None:
    assert [code for code, _ in settings.LANGUAGES] == ["en", *catalogues.LANGUAGES]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accepted", "spoken", "heading"),
    [
        ("ja", "ja", "Runyard にログイン"),
        ("ko-KR,ko;q=0.9,en;q=0.8", "ko", "Runyard에 로그인"),
        ("fr,de;q=0.5", "en", "Sign in to Runyard"),
        ("", "en", "Sign in to Runyard"),
    ],
)
def test_a_visitor_is_answered_in_the_language_of_the_browser(
    client: Client, accepted: str, spoken: str, heading: str
) -> None:
    """UI-9: before anything is chosen, Accept-Language decides."""
    page = client.get("/accounts/login/", headers={"accept-language": accepted})
    assert page.headers["Content-Language"] == spoken
    assert f'<html lang="{spoken}"' in page.text
    assert f"<h1>{heading}</h1>" in page.text
    assert "Accept-Language" in page.headers["Vary"]


@pytest.mark.django_db
@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_pages_have_no_english_left(client: Client, member_of: MakeMember, language: str) -> None:
    """UI-9: the pages of a run, its project and its team; `test_browser_pages` goes through all the others."""
    run = RunFactory()
    base = f"/{run.project.team.name}/{run.project.name}"
    headers = {"accept-language": language}
    catalog = catalogues.read_catalogue(language)
    for path in ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"):
        assert leftovers(client.get(path, headers=headers).text, catalog) == set(), path
    client.force_login(member_of(run.project.team, Preset.ADMIN))
    pages = [
        "/", "/search?q=x", "/settings/api-keys", base, f"{base}/overview", f"{base}/runs", f"{base}/deleted",
        *(f"{base}/runs/{run.uid}{part}" for part in ("", "/overview", "/logs", "/files", "/media", "/system")),
    ]  # fmt: skip
    for path in pages:
        answer = client.get(path, headers=headers)
        assert answer.status_code == 200, path
        assert leftovers(answer.text, catalog) == set(), path
    missing = client.get(f"/{run.project.team.name}/no-such", headers=headers | {"accept": "text/html"})
    assert missing.status_code == 404
    assert leftovers(missing.text, catalog) == set()


@pytest.mark.django_db
def test_a_refusal_is_said_in_the_language_of_the_page(client: Client, member_of: MakeMember) -> None:
    """UI-9: people read what services refuse; programs, which send no language, read English."""
    team = RunFactory().project.team
    client.force_login(member_of(team, Preset.ADMIN))
    path = f"/{team.name}/no-such"
    korean = client.get(path, headers={"accept-language": "ko", "accept": "text/html"})
    assert f"프로젝트 {team.name}/no-such이(가) 없거나 볼 권한이 없습니다." in korean.text
    assert client.get(path).json()["error"]["message"].startswith("The project")


@pytest.mark.parametrize(
    ("language", "ago", "day"),
    [
        ("en", "3 hours ago", "Nov. 2, 2026"),
        ("ja", "3 時間前", "2026年11月2日"),
        ("ko", "3시간 전", "2026년 11월 2일"),
    ],
)
def test_times_are_written_as_the_language_does(language: str, ago: str, day: str) -> None:
    """UI-9: what the server writes; scripts ask `Intl` with the language of the document."""
    noon = datetime(2026, 11, 2, 12, tzinfo=UTC)
    with translation.override(language), time_machine.travel(noon, tick=False):
        assert f">{ago}</time>" in relative_time(noon - timedelta(hours=3))
    with translation.override(language), time_machine.travel(noon + timedelta(days=60), tick=False):
        assert f">{day}</time>" in relative_time(noon)
