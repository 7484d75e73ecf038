"""What the readers of this package raise, whatever is wrong with a file."""

from common.errors import Invalid

MIB = 1024 * 1024


class UnreadablePreview(Invalid):
    """The file isn't what its name says, is damaged, or is over a limit, which the message states."""
