"""The long benchmark: many running runs post, as the SDK does, to one installation started by `manage.py serve`."""
