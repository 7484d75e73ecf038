"""What readers of files ask for; apart from what stores them, which takes the database along."""

from typing import BinaryIO, Literal, Protocol


class Openable(Protocol):
    """What can be opened to be read: a path, or stored content."""

    def open(self, mode: Literal["rb"], /) -> BinaryIO:
        """Open it.

        Raises:
            FileNotFoundError: it is not there.
        """
