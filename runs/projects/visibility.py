"""What pages say of who sees a project, and of what follows from changing it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.actor import Actor
from runs.models import Project
from runs.projects.members import count_losing_access, roles_in
from teams.models import Visibility
from teams.teams.visibility import Choice, visibility_choices


def choices_for(actor: Actor, project: Project) -> list[Choice]:
    """Return the visibilities that the project can have; Restricted says who would lose their access."""
    choices = visibility_choices(project.team, project.visibility)
    if project.team.is_personal:
        return choices
    says = _of_restricted(actor, project)
    return [one._replace(says=says) if one.value == Visibility.RESTRICTED else one for one in choices]


def _of_restricted(actor: Actor, project: Project) -> str:
    """Say who is left in, and how many are not."""
    only = _("Only invited members of the team.")
    if project.visibility == Visibility.RESTRICTED:
        return only
    people, programs = count_losing_access(actor, project)
    lose = [
        ngettext("%(count)s person", "%(count)s people", people) % {"count": people},
        ngettext("%(count)s service account", "%(count)s service accounts", programs) % {"count": programs},
    ]
    says = [only]
    if roles_in(project.team, [actor.lookup_id]):
        says.append(_("You keep your access."))
    if people or programs:
        who = ", ".join(words for words, n in zip(lose, (people, programs), strict=True) if n)
        says.append(_("Others in the team lose access until you invite them: %(who)s.") % {"who": who})
    return " ".join(says)
