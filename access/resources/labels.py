"""What rows are called: "run", in the reader's language."""

from django.db.models import Model
from django.utils.translation import gettext, gettext_noop

KINDS = (
    gettext_noop("run"), gettext_noop("run file"), gettext_noop("saved view"), gettext_noop("project"),
    gettext_noop("team"), gettext_noop("organization"), gettext_noop("user"), gettext_noop("API key"),
    gettext_noop("team member"), gettext_noop("invitation"), gettext_noop("service account"),
    gettext_noop("export"), gettext_noop("chart"), gettext_noop("automation"),
    gettext_noop("sign-in provider"), gettext_noop("role"), gettext_noop("collection"),
    gettext_noop("version"), gettext_noop("registry"), gettext_noop("sweep"), gettext_noop("sweep agent"),
)  # fmt: skip
"""What Django calls rows of these models, named here for translators."""


def kind_of(obj: Model | type[Model]) -> str:
    """Return what the row is, in the reader's language: "run"."""
    return gettext(str(obj._meta.verbose_name))
