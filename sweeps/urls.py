"""Routes of sweeps; they come before those of projects and runs, which end in names that people choose."""

from django.urls import path

from sweeps.views import changes, editor, lists, sweep

app_name = "sweeps"
_SWEEPS = "<str:entity>/<str:project>/sweeps"
_SWEEP = f"{_SWEEPS}/<str:uid>"
urlpatterns = [
    path(_SWEEPS, lists.sweeps, name="sweeps"),
    path(f"{_SWEEPS}/deleted", lists.deleted_sweeps, name="deleted_sweeps"),
    path(f"{_SWEEPS}/new", editor.new, name="new_sweep"),
    path(_SWEEP, sweep.sweep, name="sweep"),
    path(f"{_SWEEP}/edit", editor.edit, name="edit_sweep"),
    path(f"{_SWEEP}/state", changes.sweep_state, name="sweep_state"),
    path(f"{_SWEEP}/delete", changes.sweep_delete, name="sweep_delete"),
]
