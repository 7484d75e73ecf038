"""TEAM-21: the operators' admin speaks plain English, and has ledgers and logs apart from what operators work with."""

import re
from itertools import chain

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.urls import reverse

from access.resource_paths import named_models
from access.resources.labels import KINDS
from accounts.operators.admin_actions import ServedAdmin
from config.admin.registration import register_models
from config.admin.sections import LEDGERS, SECTIONS
from tests.factories import UserFactory

register_models()
MODELS: list[type[Model]] = sorted(admin.site._registry, key=lambda model: model._meta.label)
SHOWN = [*MODELS, *{inline.model for shown in admin.site._registry.values() for inline in shown.inlines}]
OF_BOTH_NUMBERS = {"alert settings"}
"""What English has in the plural only."""
LABEL = re.compile(r"(?:[A-Z]{2,}s?|[a-z][a-z-]*)(?: (?:[A-Z]{2,}s?|[a-z][a-z-]*)){0,2}")
"""At most three words in sentence case, but for abbreviations."""
SHORT = {"id", "uid", "url", "gpu", "gb", "usd", "ip", "sso", "kwh", "s", "j", "api", "http"}
"""Words that a label writes in capitals, in brackets or in full."""
PRIVATE = re.compile(
    r"\b(?:Null|null|mailed|made anew|how-manieth|whoever)\b|`|\b[A-Z]{2,4}-\d|\bSee \w+\.\w"
)
"""What only who wrote the code understands."""


def plural_of(noun: str) -> str:
    """Return the plural of an English noun."""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if re.search(r"(?:s|x|z|ch|sh)$", noun) else "s")


def test_each_model_has_a_short_name_and_its_plural():
    names = {str(model._meta.verbose_name): str(model._meta.verbose_name_plural) for model in MODELS}
    assert [name for name in names if not LABEL.fullmatch(name)] == []
    assert names == {name: name if name in OF_BOTH_NUMBERS else plural_of(name) for name in names}
    assert len(names) == len(set(names.values())) == len(MODELS), "no two have one name"


def test_people_read_the_names_of_things_in_their_language():
    assert {str(apps.get_model(label)._meta.verbose_name) for label in named_models()} <= set(KINDS)


def test_fields_have_labels_and_help_that_operators_understand():
    ours = [model for model in SHOWN if not model.__module__.startswith("allauth")]
    fields = [field for model in ours for field in model._meta.get_fields() if hasattr(field, "help_text")]
    labels = {str(field): str(field.verbose_name) for field in fields}
    odd = {
        name: label
        for name, label in labels.items()
        if SHORT & set(label.split()) or label.startswith(("is ", "has "))
    }
    assert odd == {}
    assert [text for text in {str(field.help_text) for field in fields} if PRIVATE.search(text)] == []


def test_acts_are_verbs_with_what_they_are_done_to():
    served = [shown for shown in admin.site._registry.values() if isinstance(shown, ServedAdmin)]
    acts = [act for shown in served for act in (*shown.acts, *filter(None, [shown.creation]))]
    assert len(acts) > 40
    assert [act.label for act in acts if not re.fullmatch(r"[A-Z][a-z]+ [a-zA-Z ]+", act.label)] == []
    assert [act.label for act in acts if act.label.startswith(("Make", "Take", "Give", "No "))] == []


class TestSections:
    def test_each_model_is_in_one(self):
        assert sorted(chain(*SECTIONS.values())) == [model._meta.label for model in MODELS]

    def test_ledgers_and_logs_are_the_last_and_nobody_writes_in_them(self, rf):
        assert list(SECTIONS)[-1] == LEDGERS
        request = rf.get("/admin/")
        request.user = UserFactory.build(is_operator=True)
        for label in SECTIONS[LEDGERS]:
            shown = admin.site._registry[apps.get_model(label)]
            assert not shown.has_add_permission(request)
            assert not shown.has_change_permission(request)
            assert not shown.has_delete_permission(request)
            assert not getattr(shown, "acts", ())

    @pytest.mark.django_db
    def test_pages_name_theirs(self, client):
        client.force_login(UserFactory(is_operator=True))
        index = client.get(reverse("admin:index")).content.decode()
        places = [index.index(f">{name}</a></caption>") for name in SECTIONS]
        assert places == sorted(places)
        page = client.get(reverse("admin:usage_usageday_changelist")).content.decode()
        crumbs = page[page.index('class="breadcrumbs"') :]
        assert f'<a href="/admin/#ledgers-and-logs">{LEDGERS}</a>' in crumbs
        assert client.get(reverse("admin:app_list", args=["billing"])).url == reverse("admin:index")
