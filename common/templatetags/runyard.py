"""Tags and filters of every template (a builtin, so templates load nothing)."""

import re
from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.forms import BoundField
from django.template.loader import get_template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from common import errors, installation_settings
from common.markdown import render_intro, render_markdown

register = template.Library()

RUN_COLORS = 8
"""How many run colours ``assets/css/tokens.css`` defines."""
_NAME_END = 10
"""Characters of a long name that are kept when it is cut in the middle."""
_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Draw one icon of the sprite (names: assets/icons.txt); without a label it is hidden from screen readers."""
    return _icon(name, str(label))


@lru_cache(maxsize=512)  # a page of 100 runs has 500
def _icon(name: str, label: str) -> SafeString:
    href = f"{static('icons.svg')}#{name}"
    if label:
        return format_html(
            '<svg class="icon" role="img" aria-label="{}"><use href="{}"></use></svg>', label, href
        )
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"></use></svg>', href)


@register.simple_tag
def words(template_name: str) -> SafeString:
    """Include a template of fixed words: it is rendered once for each language, since one of them has 229."""
    return _words(template_name, get_language() or "")


@lru_cache(maxsize=64)
def _words(template_name: str, _language: str) -> SafeString:
    return SafeString(get_template(template_name).render())


@register.simple_tag
def support_link() -> SafeString:
    """Say whom to ask for help, as a link (ACC-24); needs no context, since 500.html has none."""
    contact = installation_settings.support_contact()
    if not contact:
        return SafeString("")
    url = contact if re.match(r"https?:|mailto:", contact) else f"mailto:{contact}"
    text = format_html('<a href="{}">{}</a>', url, contact.removeprefix("mailto:"))
    return format_html("<p>{}</p>", format_html(_("Need help? {}"), text))


@register.inclusion_tag("partials/copy_button.html")
def copy_button(value: object, label: str = "") -> dict[str, Any]:
    """Show a button that copies ``value``; with ``label`` the text is visible beside the icon."""
    return {"value": value, "label": label}


@register.inclusion_tag("partials/field.html")
def field(bound: BoundField) -> dict[str, Any]:
    """Render label, widget, help and errors of a form field, tied together for screen readers."""
    kind = getattr(bound.field.widget, "input_type", "")
    css = {"checkbox": "form-check-input", "select": "form-select", "radio": "form-check-input"}
    attrs: dict[str, str | bool] = {
        "class": css.get(kind, "form-control") + (" is-invalid" if bound.errors else "")
    }
    return {"field": bound, "widget": bound.as_widget(attrs=attrs), "is_check": kind == "checkbox"}


@register.inclusion_tag("partials/state.html")
def state_pill(run: Any) -> dict[str, Any]:
    """Show a run's state as a dot and a word; live pages change it in place."""
    return {"state": run.state, "text": run.state_label}


@register.simple_tag
def state_dot(run: Any) -> SafeString:
    """Show a run's state as a coloured dot that says its name to screen readers."""
    return _state_dot(run.state, run.state_label)


@lru_cache(maxsize=256)
def _state_dot(state: str, label: str) -> SafeString:
    """Lists have one in each row, of few states and languages."""
    return format_html(
        '<span class="state-dot" data-state="{}" role="img" aria-label="{}" title="{}"></span>',
        state, label, label,
    )  # fmt: skip


@register.simple_tag
def relative_time(moment: datetime | None, empty: str = "–") -> SafeString:
    """Say how long ago ``moment`` was; a script keeps it fresh and gives the exact time in the viewer's zone."""
    if moment is None:
        return format_html("{}", empty)
    return format_html(
        '<time datetime="{}" title="{}" data-relative>{}</time>',
        moment.isoformat(),
        _exact(moment),
        _ago(moment),
    )


@register.simple_tag
def exact_time(moment: datetime) -> SafeString:
    """Say when ``moment`` was or will be; a script writes it in the viewer's zone."""
    return format_html('<time datetime="{}" data-exact>{}</time>', moment.isoformat(), _exact(moment))


def _exact(moment: datetime) -> str:
    return f"{date_format(moment, 'DATETIME_FORMAT')} {moment.tzname() or ''}".strip()


def _ago(moment: datetime) -> str:
    seconds = int((timezone.now() - moment).total_seconds())
    if seconds < 0:
        return date_format(moment, "DATE_FORMAT")
    if seconds < 60:
        return _("just now")
    if seconds < 3600:
        return ngettext("%(n)d minute ago", "%(n)d minutes ago", seconds // 60) % {"n": seconds // 60}
    if seconds < 86400:
        return ngettext("%(n)d hour ago", "%(n)d hours ago", seconds // 3600) % {"n": seconds // 3600}
    if seconds < 30 * 86400:
        return ngettext("%(n)d day ago", "%(n)d days ago", seconds // 86400) % {"n": seconds // 86400}
    return date_format(moment, "DATE_FORMAT")


@register.filter
def duration(seconds: float | None) -> str:
    """Say a length of time given in seconds: ``1h 02m 03s``; a dash for None."""
    if seconds is None:
        return "–"
    total = max(0, int(seconds))
    minutes, rest = divmod(total, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours:02d}h {minutes:02d}m"
    if hours:
        return f"{hours}h {minutes:02d}m {rest:02d}s"
    if minutes:
        return f"{minutes}m {rest:02d}s"
    return f"{rest}s"


@register.filter
def filesize_binary(size: float | None) -> str:
    """Say a size given in bytes in binary units with three figures: ``1.21 MiB``."""
    if size is None:
        return "–"
    power = 0
    amount = float(size)
    while amount >= 1000 and power < len(_BINARY_UNITS) - 1:
        amount /= 1024
        power += 1
    if power == 0:
        return f"{int(amount)} B"
    decimals = 2 if amount < 10 else 1 if amount < 100 else 0
    return f"{number_format(round(amount, decimals), decimals)} {_BINARY_UNITS[power]}"


@register.filter
def number(value: float | None) -> str:
    """Write a number with thousands separators, or with six significant figures when it is not whole."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(number_format(value, force_grouping=True))
    return f"{value:.6g}"


@register.filter
def short_number(value: float | None) -> str:
    """Write a number with four significant figures, as much as a glance takes in; zeros stay, so that columns align."""
    return "–" if value is None else f"{value:#.4g}".removesuffix(".")


@register.filter
def initials(name: object) -> str:
    """Return one or two capitals for an avatar: ``Ada Lovelace`` and ``ada-lovelace`` give ``AL``."""
    words = str(name).replace("-", " ").replace("_", " ").replace(".", " ").split()
    return "".join(word[0] for word in words[:2]).upper() or "?"


@register.filter
def croppable(name: str) -> SafeString:
    """Write a run's name in two parts, so that `.crop` of the style sheet can cut it at any place (RUN-24).

    Browsers put a space between the parts in what they tell screen readers: the link around them needs a label.
    """
    cut = max(len(name) // 2, len(name) - _NAME_END)
    return format_html("<bdi><span>{}</span><span>{}</span></bdi>", name[:cut], name[cut:])


@register.simple_tag
def avatar(entity: Any, size: str = "") -> SafeString:
    """Draw the picture of a user, team or organization, else its initials; ``size`` is "", "sm", "lg" or "xl".

    Reads ``entity.claim``: lists select it together with the entity. Beside a name, so nothing for screen readers.
    """
    css = f"initials initials-{size}" if size else "initials"
    if url := entity.claim.picture_url:
        return format_html('<img class="{} avatar" src="{}" alt="" loading="lazy" />', css, url)
    shown = getattr(entity, "display_name", "") or str(entity)
    return format_html('<span class="{}" aria-hidden="true">{}</span>', css, initials(shown))


@register.filter
def color_index(key: int | str) -> int:
    """Map a run's number, or a name, to one of the run colors, always the same one; runs in a row differ."""
    return (key - 1 if isinstance(key, int) else sum(str(key).encode())) % RUN_COLORS


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown that people wrote."""
    return render_markdown(text)


@register.filter
def intro(text: str) -> SafeString:
    """Render the Markdown of an intro, with pictures."""
    return render_intro(text)


@register.filter
def marks(text: str, query: str) -> SafeString:
    """Mark the words of a search in what it found, wherever they stand."""
    words = [re.escape(word) for word in query.replace("/", " ").split()]
    if not words:
        return format_html("{}", text)
    parts = re.split(f"({'|'.join(words)})", text, flags=re.IGNORECASE)
    return format_html_join(
        "",
        "{}",
        [[format_html("<mark>{}</mark>", part) if at % 2 else part] for at, part in enumerate(parts)],
    )


@register.filter
def basename(path: object) -> str:
    """Return what follows the last slash, which is all there is to see of a file whose path ends with one."""
    return str(path).rpartition("/")[2] or "/"


@register.filter
def printable(name: object) -> str:
    """Return a name that programs chose, with its control characters to be seen: a name must not look like another."""
    return errors.printable(name)
