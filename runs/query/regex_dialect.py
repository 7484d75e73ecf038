r"""The regular expressions that RE2 and PostgreSQL read alike, and what PostgreSQL is asked for each.

A pattern is RE2's. PostgreSQL has other words for the same (``\z`` is ``\Z``), and means other things by the same
words (``.`` matches the end of a line, ``\w`` any letter of any script); these are written out for it. What it cannot
be told is refused, on SQLite, too, so that a saved filter means the same on both.

Source: https://github.com/google/re2/wiki/Syntax,
https://www.postgresql.org/docs/current/functions-matching.html#POSIX-SYNTAX-DETAILS
"""

import re

from django.utils.translation import gettext as _

from common.errors import Invalid

MOST_REPEATED = 255
"""PostgreSQL's most, in ``{n,m}``."""
_WORD = "0-9A-Za-z_"
_CLASSES = {"d": "0-9", "w": _WORD, "s": r"\t\n\f\r "}
_NAMED = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "word": _WORD,
    "space": r"\t\n\v\f\r ", "blank": r"\t ", "xdigit": "0-9A-Fa-f", "punct": r"!-\/\:-\@\[-\`\{-\~",
}  # fmt: skip
_AT_EDGE = rf"(?:(?<![{_WORD}])(?=[{_WORD}])|(?<=[{_WORD}])(?![{_WORD}]))"
_WITHIN = rf"(?:(?<![{_WORD}])(?![{_WORD}])|(?<=[{_WORD}])(?=[{_WORD}]))"
_PLACES = {"A": r"\A", "z": r"\Z", "b": _AT_EDGE, "B": _WITHIN}
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FLAGS = re.compile(r"\(\?([ims]+)\)")
_GROUP = re.compile(r"\((?:\?:|\?P?<\w+>|(?!\?))")
_REPEAT = re.compile(r"(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??")
_HEX = re.compile(r"\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|$)", re.DOTALL)
_POSIX = re.compile(r"\[:(\w+):\]")


def for_postgresql(pattern: str) -> str:
    """Return PostgreSQL's pattern for one that RE2 accepts.

    Raises:
        Invalid: part of it has no such form, which the message names.
    """
    return _Reader(pattern).whole()


def _literal(character: str) -> str:
    if character == "\0":
        raise _unsupported("\\x00")
    return character if character.isalnum() or ord(character) > 127 else f"\\{character}"


def _unsupported(part: str) -> Invalid:
    return Invalid(_("Regular expressions cannot contain %(part)s here.") % {"part": repr(part)})


class _Reader:
    """Walks a pattern once, from left to right."""

    def __init__(self, pattern: str) -> None:
        self.text, self.at = pattern, 0
        self.out: list[str] = []
        self.may_repeat = False
        flags = _FLAGS.match(pattern)
        self.flags = set(flags[1]) if flags else set()
        self.at = flags.end() if flags else 0

    def whole(self) -> str:
        while self.at < len(self.text):
            self._part()
        flags = ("i" if "i" in self.flags else "") + ("w" if "m" in self.flags else "")
        return (f"(?{flags})" if flags else "") + "".join(self.out)

    def _take(self, pattern: "re.Pattern[str]") -> "re.Match[str] | None":
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _put(self, text: str, *, may_repeat: bool) -> None:
        self.out.append(text)
        self.may_repeat = may_repeat

    def _part(self) -> None:
        character = self.text[self.at]
        if found := self._take(_REPEAT):
            self._repeat(found)
        elif character == "\\":
            self._escape()
        elif character == "[":
            self.at += 1
            self._brackets()
        elif character == "(":
            if not self._take(_GROUP):
                raise _unsupported(self.text[self.at : self.at + 4])
            self._put("(?:", may_repeat=False)
        else:
            self.at += 1
            self._plain(character)

    def _plain(self, character: str) -> None:
        if character in "^$|":
            self._put(character, may_repeat=False)
        elif character == ")":
            self._put(")", may_repeat=True)
        elif character == ".":
            self._put("." if "s" in self.flags else r"[^\n]", may_repeat=True)
        else:
            self._put(_literal(character), may_repeat=True)

    def _repeat(self, found: "re.Match[str]") -> None:
        bounds = [int(bound) for bound in found.groups() if bound]
        if not self.may_repeat or any(bound > MOST_REPEATED for bound in bounds):
            raise _unsupported(found[0])
        # whether there is a match does not depend on who is greedy
        sign = found[0] if len(found[0]) == 1 else found[0].removesuffix("?")
        self._put(sign, may_repeat=False)

    def _escape(self) -> None:
        if found := self._take(_QUOTED):
            self._put("".join(map(_literal, found[1])), may_repeat=bool(found[1]))
            return
        if (place := _PLACES.get(self.text[self.at + 1 : self.at + 2])) is not None:
            self.at += 2
            self._put(place, may_repeat=False)
            return
        name = self.text[self.at + 1 : self.at + 2]
        if name.lower() in _CLASSES:
            self.at += 2
            self._put(f"[{'' if name.islower() else '^'}{_CLASSES[name.lower()]}]", may_repeat=True)
            return
        self._put(_literal(self._character()), may_repeat=True)

    def _character(self) -> str:
        """Take one character, which may be escaped."""
        if found := self._take(_HEX):
            return chr(int(found[1] or found[2], 16))
        if self.text[self.at] != "\\":
            self.at += 1
            return self.text[self.at - 1]
        name = self.text[self.at + 1]
        if name.isalnum() and name not in _CONTROLS:
            raise _unsupported(self.text[self.at : self.at + 2])
        self.at += 2
        return _CONTROLS.get(name, name)

    def _brackets(self) -> None:
        """Take what is between brackets; RE2 has seen that they end."""
        start = "[^" if self.text.startswith("^", self.at) else "["
        self.at += len(start) - 1
        inner = [self._member()]  # a bracket that closes is one of them, at the first place
        while self.text[self.at] != "]":
            inner.append(self._member())
        self.at += 1
        self._put(f"{start}{''.join(inner)}]", may_repeat=True)

    def _member(self) -> str:
        if found := self._take(_POSIX):
            if found[1] not in _NAMED:
                raise _unsupported(found[0])
            return _NAMED[found[1]]
        name = self.text[self.at + 1 : self.at + 2]
        if self.text[self.at] == "\\" and name in _CLASSES:
            self.at += 2
            return _CLASSES[name]
        if self.text.startswith("[:", self.at):
            raise _unsupported("[:")
        first = _literal(self._character())
        if self.text[self.at] == "-" and self.text[self.at + 1] != "]":
            self.at += 1
            return f"{first}-{_literal(self._character())}"
        return first
