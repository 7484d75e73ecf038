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
        from runs import access, audit_words, key_scopes, known_limits
        from runs.files import refused_files
        from runs.files import services as files
        from runs.files.refused_artifacts import refused_artifact_marks
        from runs.ingest import refused_posts
        from runs.ingest.bad_lines import set_aside_marks
        from runs.lifecycle import instrumentation, purge, storage_ledger
        from runs.lifecycle.timeline import register_marks
        from runs.models import RunFile
        from runs.projects import account_merge, deletion, search
        from runs.projects.public_projects import close_public_projects, public_projects_of
        from runs.query import regex
        from runs.secrets.documents import masked_pieces
        from runs.views import redirects
        from storage.services import register_blob_user
        from storage.tickets import register_masker, register_receiver, register_refusal
        from teams.teams.participants import TeamParticipant, register_team_participant

        def used_blobs() -> Any:
            return RunFile.objects.values("blob_id")

        access.register()
        audit_words.register()
        key_scopes.register()
        known_limits.register()
        regex.listen()
        register_reading("runs", instrumentation.states)
        register_marks(set_aside_marks)
        register_masker(masked_pieces)
        register_receiver(files.PURPOSE, files.receive_run_file)
        register_refusal(files.PURPOSE, refused_files.note_refused_file)
        register_marks(refused_files.refused_file_marks)
        register_marks(refused_artifact_marks)
        register_marks(refused_posts.refused_post_marks)
        register_blob_user(used_blobs)
        storage_ledger.register_measure(storage_ledger.FILE, storage_ledger.file_bytes)
        storage_ledger.register_measure(storage_ledger.LOG, storage_ledger.log_bytes)
        purge.register_part(purge.remove_files)
        purge.register_part(purge.remove_rows)
        register_team_participant(
            TeamParticipant(
                guard=deletion.guard_team,
                hide=deletion.hide_of_team,
                show=deletion.show_of_team,
                give_up=deletion.give_up_of_team,
                public_projects=public_projects_of,
                close_projects=close_public_projects,
            )
        )
        register_merge_part(
            Part(lines=account_merge.lines, move=account_merge.move, conflicts=account_merge.conflicts)
        )
        manage, words = access.ProjectAction.MANAGE_MEMBERS, _("members invite request access private hidden")
        label, route = _("Restricted projects"), "runs:restricted_projects"
        register_sections(Place.TEAM, Section(label, "lock", route, rank=45, needs=manage, words=words))
        register_forwarding(redirects.to_renamed_project)
        register_search(_("Projects"), icon="box", rank=10, find=search.find_projects)
        register_search(_("Runs"), icon="activity", rank=20, find=search.find_runs)
        register_search(_("People and teams"), icon="users", rank=30, find=search.find_entities)
