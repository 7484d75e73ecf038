"""``runyard rotate-secrets``: let everything rest on the current secret key."""

from typing import Any

from common.management.base import JsonCommand
from config import rotation


class Command(JsonCommand):
    help = (
        "Seal stored secrets with the current secret key, and say what still rests on former ones. --new creates a key"
        " in the data folder first; --forget drops the former ones when nothing needs them."
    )

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--new", action="store_true", help="Create a new key; restart Runyard afterwards.")
        which.add_argument(
            "--forget", action="store_true", help="Drop the former keys when nothing needs them."
        )

    def run(self, *, new: bool, forget: bool, **_: Any) -> dict[str, Any]:
        """Do one of the three."""
        if new:
            return rotation.begin()
        return rotation.forget() if forget else rotation.rotate()
