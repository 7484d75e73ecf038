"""The tags and filters that every template has."""

import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django import forms
from django.template import Context, Template
from django.utils import timezone

from common.templatetags import runyard

ROOT = Path(__file__).parents[2]


def rendered(source: str, **context: object) -> str:
    return Template(source).render(Context(context))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0, "0s"),
        (59.9, "59s"),
        (61, "1m 01s"),
        (3723, "1h 02m 03s"),
        (90_061, "1d 01h 01m"),
        (-5, "0s"),
    ],
)
def test_duration_is_said_in_its_two_or_three_largest_units(seconds, text):
    assert runyard.duration(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (None, "–"),
        (0, "0 B"),
        (999, "999 B"),
        (1000, "0.98 KiB"),
        (1_268_777, "1.21 MiB"),
        (2**60, "1024 PiB"),
    ],
)
def test_sizes_have_binary_units_and_three_figures(size, text):
    assert runyard.filesize_binary(size) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (12400, "12,400"), (0.1 + 0.2, "0.3"), (1e-7, "1e-07")]
)
def test_numbers_are_grouped_or_cut_to_six_figures(value, text):
    assert runyard.number(value) == text


@pytest.mark.parametrize(
    ("name", "text"), [("Ada Lovelace", "AL"), ("ada", "A"), ("ci_bot.two", "CB"), ("", "?")]
)
def test_initials_are_one_or_two_capitals(name, text):
    assert runyard.initials(name) == text


def test_relative_time_gives_the_exact_moment_to_machines_and_on_hover():
    moment = timezone.now() - timedelta(hours=3)
    html = rendered("{% relative_time moment %}", moment=moment)
    assert f'datetime="{moment.isoformat()}"' in html.replace("&#x27;", "'")
    assert "3 hours ago" in html
    assert rendered("{% relative_time None %}") == "–"


def test_copied_values_are_escaped():
    html = rendered("{% copy_button value %}", value='"><script>')
    assert "<script>" not in html
    assert "&quot;&gt;&lt;script&gt;" in html


def test_state_is_a_word_beside_its_colour():
    run = SimpleNamespace(state="failed", state_label="Failed")
    assert "Failed" in rendered("{% state_pill run %}", run=run)
    assert 'aria-label="Failed"' in rendered("{% state_dot run %}", run=run)


def test_field_ties_help_and_errors_to_its_input():
    class KeyForm(forms.Form):
        label = forms.CharField(help_text="Where it is used.")

    html = rendered("{% field form.label %}", form=KeyForm({"label": ""}))
    described = re.search(r'aria-describedby="([^"]+)"', html)
    assert described is not None
    assert all(f'id="{part}"' in html for part in described[1].split())
    assert 'aria-invalid="true"' in html


def test_every_icon_in_use_is_in_the_sprite():
    sprite = set((ROOT / "assets/icons.txt").read_text().split())
    used = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in re.findall(r'{% icon "([\w-]+)"', path.read_text())
    }
    scripts = "".join(path.read_text() for path in (ROOT / "assets/ts").rglob("*.ts"))
    used |= set(re.findall(r'makeIcon(?:Button)?\("([\w-]+)"', scripts))
    assert used <= sprite
