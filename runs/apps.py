from typing import Any

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from common.search import register_search
        from common.telemetry.exposition import register_reading
        from runs import access, measures, search
        from runs.models import RunFile
        from runs.query import regex
        from runs.services import files, purge
        from storage.services import register_blob_user
        from storage.tickets import register_receiver

        def used_blobs() -> Any:
            return RunFile.objects.values("blob_id")

        access.register()
        regex.listen()
        register_reading("runs", measures.states)
        register_receiver(files.PURPOSE, files.receive_run_file)
        register_blob_user(used_blobs)
        purge.register_part(purge.remove_files)
        purge.register_part(purge.remove_rows)
        register_search(_("Projects"), icon="box", rank=10, find=search.find_projects)
        register_search(_("Runs"), icon="activity", rank=20, find=search.find_runs)
        register_search(_("People and teams"), icon="users", rank=30, find=search.find_entities)
