from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RunsConfig(AppConfig):
    name = "runs"

    def ready(self) -> None:
        from common.telemetry.exposition import register_reading
        from runs import access, audit_words, known_limits
        from runs.column_index.triggers import create_triggers
        from runs.lifecycle import instrumentation
        from runs.query import regex

        access.register()
        audit_words.register()
        known_limits.register()
        regex.listen()
        register_reading("runs", instrumentation.states)
        post_migrate.connect(create_triggers, sender=self, dispatch_uid="runs.create_triggers")
        self._register_people()
        self._register_data()
        self._register_pages()

    def _register_people(self) -> None:
        from access.grants import register_grants
        from accounts.lifecycle.participants import AccountParticipant, register_account_participant
        from runs.projects import account_merge, deletion
        from runs.projects.grants import RestrictedProjectMembers
        from runs.projects.public_projects import close_public_projects, public_projects_of
        from teams.teams.participants import TeamParticipant, register_team_participant

        register_grants(RestrictedProjectMembers())
        register_team_participant(
            TeamParticipant(
                guard=deletion.guard_team,
                hide=deletion.hide_of_team,
                show=deletion.show_of_team,
                give_up=deletion.purge_of_team,
                public_projects=public_projects_of,
                close_projects=close_public_projects,
            )
        )
        register_account_participant(
            AccountParticipant(
                conflicts=account_merge.conflicts,
                preview_merge=account_merge.preview_merge,
                merge=account_merge.merge,
            )
        )

    def _register_data(self) -> None:
        from runs.files.blob_owner import RunFileBlobOwner
        from runs.lifecycle import participants
        from runs.run_participant import RunsRunParticipant
        from storage import owners

        participants.register_run_participant(RunsRunParticipant())
        owners.register_blob_owner(RunFileBlobOwner())

    def _register_pages(self) -> None:
        from django.urls import reverse
        from django.utils.translation import gettext_lazy as _

        from access.web.middleware import register_forwarding
        from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
        from common.search import Action, register_actions, register_search
        from runs.access import ProjectAction
        from runs.projects import search
        from runs.views import redirects

        words, label, route = (
            _("members invite request access private hidden"), _("Restricted projects"), "runs:restricted_projects",
        )  # fmt: skip
        needs = ProjectAction.MANAGE_MEMBERS
        register_sections(
            SettingsScope.TEAM, Section(label, "eye-off", route, SectionGroup.GENERAL, 30, needs, words)
        )
        register_forwarding(redirects.to_renamed_project)
        register_search(_("Projects"), icon="box", rank=10, find=search.find_projects)
        register_search(_("Runs"), icon="activity", rank=20, find=search.find_runs)
        register_search(_("People and teams"), icon="users", rank=30, find=search.find_entities)
        register_actions(
            Action(
                _("New project"),
                "plus",
                lambda actor: reverse("runs:new_project", args=[actor.name]),
                _("create"),
            ),
            Action(
                _("Log a run"),
                "rocket",
                lambda _actor: reverse("runs:first_run"),
                _("quickstart start first"),
            ),
        )
