from typing import Any

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from access.web.requests import register_forwarding
        from accounts.lifecycle.account_merge import Part, register_merge_part
        from accounts.settings.sections import Place, Section, register_sections
        from common.search import register_search
        from common.telemetry.exposition import register_reading
        from runs import access, audit_words, forwarding, key_scopes, known_limits, measures, merging, search
        from runs.masking import masked_pieces
        from runs.models import RunFile
        from runs.public import PublicProjectsOfTeams
        from runs.query import regex
        from runs.refused_artifacts import refused_artifact_marks
        from runs.services import files, holdings, project_deletion, purge, refused_files, refused_posts
        from runs.set_aside import set_aside_marks
        from runs.timeline import register_marks
        from storage.services import register_blob_user
        from storage.tickets import register_masker, register_receiver, register_refusal
        from teams.teams.deletion import Holding, register_holding
        from teams.teams.privacy import register_public_projects

        def used_blobs() -> Any:
            return RunFile.objects.values("blob_id")

        access.register()
        audit_words.register()
        key_scopes.register()
        known_limits.register()
        regex.listen()
        register_reading("runs", measures.states)
        register_marks(set_aside_marks)
        register_masker(masked_pieces)
        register_receiver(files.PURPOSE, files.receive_run_file)
        register_refusal(files.PURPOSE, refused_files.note_refused_file)
        register_marks(refused_files.refused_file_marks)
        register_marks(refused_artifact_marks)
        register_marks(refused_posts.refused_post_marks)
        register_blob_user(used_blobs)
        holdings.register_measure(holdings.FILE, holdings.file_bytes)
        holdings.register_measure(holdings.LOG, holdings.log_bytes)
        purge.register_part(purge.remove_files)
        purge.register_part(purge.remove_rows)
        register_holding(
            Holding(
                guard=project_deletion.guard_team,
                hide=project_deletion.hide_of_team,
                show=project_deletion.show_of_team,
                give_up=project_deletion.give_up_of_team,
            )
        )
        register_merge_part(Part(lines=merging.lines, move=merging.move, conflicts=merging.conflicts))
        manage, words = access.ProjectAction.MANAGE_MEMBERS, _("members invite request access private hidden")
        label, route = _("Restricted projects"), "runs:restricted_projects"
        register_sections(Place.TEAM, Section(label, "lock", route, rank=45, needs=manage, words=words))
        register_public_projects(PublicProjectsOfTeams())
        register_forwarding(forwarding.to_renamed_project)
        register_search(_("Projects"), icon="box", rank=10, find=search.find_projects)
        register_search(_("Runs"), icon="activity", rank=20, find=search.find_runs)
        register_search(_("People and teams"), icon="users", rank=30, find=search.find_entities)
