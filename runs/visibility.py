"""What pages say of who sees a project, and of what follows from changing it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.actor import Actor
from runs.models import Project, Visibility
from runs.services.project_members import roles_in, who_would_lose


def visibility_choices(actor: Actor, project: Project) -> list[tuple[str, str, str]]:
    """Return value, label and a sentence of each visibility the project can have; the team's comes first."""
    if project.team.is_personal:
        return [
            (Visibility.TEAM.value, str(_("Private")), _("Only you.")),
            *_open_to_others(),
        ]
    return [
        (Visibility.TEAM.value, str(Visibility.TEAM.label), _("Everybody in the team.")),
        (Visibility.RESTRICTED.value, str(Visibility.RESTRICTED.label), _of_restricted(actor, project)),
        *_open_to_others(),
    ]


def _open_to_others() -> list[tuple[str, str, str]]:
    says = {
        Visibility.PUBLIC: _("Anyone may look; only the team logs runs."),
        Visibility.OPEN: _("Anyone may look, and anyone signed in may log runs."),
    }
    return [(one.value, str(one.label), words) for one, words in says.items()]


def _of_restricted(actor: Actor, project: Project) -> str:
    """Say who is left in, and how many are not."""
    only = _("Only invited members of the team.")
    if project.visibility == Visibility.RESTRICTED:
        return only
    people, programs = who_would_lose(actor, project)
    lose = [
        ngettext("%(count)s person", "%(count)s people", people) % {"count": people},
        ngettext("%(count)s service account", "%(count)s service accounts", programs) % {"count": programs},
    ]
    says = [only]
    if roles_in(project.team, [actor.lookup_id]):
        says.append(_("You keep your access."))
    if people or programs:
        who = ", ".join(words for words, n in zip(lose, (people, programs), strict=True) if n)
        says.append(_("Until you invite them, the others in the team lose theirs: %(who)s.") % {"who": who})
    return " ".join(says)
