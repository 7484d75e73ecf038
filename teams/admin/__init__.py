"""Pages of the admin for organizations, teams and the people in them."""

from teams.admin import model_admins

__all__ = ["model_admins"]
