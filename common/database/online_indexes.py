"""Indexes of tables in use: PostgreSQL builds them while others write, if nothing else is done in the transaction."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddIndex, RemoveIndex
from django.db.migrations.state import ProjectState
from django.db.models import Index, Model


def _create(editor: Any, model: type[Model], index: Index) -> None:
    if editor.connection.vendor != "postgresql":
        editor.add_index(model, index)
        return
    _drop(editor, model, index)  # one that was cut off lies there, unusable
    editor.add_index(model, index, concurrently=True)


def _drop(editor: Any, model: type[Model], index: Index) -> None:
    if editor.connection.vendor != "postgresql":
        editor.remove_index(model, index)
        return
    editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {editor.quote_name(index.name)}")


class AddIndexOnline(AddIndex):
    """Adds an index while others write. Its migration says ``atomic = False``; cut off, it can be begun again."""

    atomic = False

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Add it."""
        _create(schema_editor, to_state.apps.get_model(app_label, self.model_name), self.index)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Remove it."""
        _drop(schema_editor, from_state.apps.get_model(app_label, self.model_name), self.index)


class RemoveIndexOnline(RemoveIndex):
    """Removes an index while others use its table. Its migration says ``atomic = False``."""

    atomic = False

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Remove it."""
        _drop(schema_editor, *self._found(app_label, from_state))

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Add it again."""
        _create(schema_editor, *self._found(app_label, to_state))

    def _found(self, app_label: str, state: ProjectState) -> tuple[type[Model], Index]:
        index = state.models[app_label, self.model_name_lower].get_index_by_name(self.name)
        return state.apps.get_model(app_label, self.model_name), index
