"""The packages of a run, as its requirements.txt names them."""

import re
from dataclasses import dataclass, field

_LINE = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:===?\s*([^\s;]+)|@\s*(\S+)|([<>~!]=?[^;]*))?")
_EGG = re.compile(r"#egg=([\w.-]+)")
_SEPARATORS = re.compile(r"[-_.]+")


def read_packages(text: str) -> dict[str, str]:
    """Return versions, or where else a package is from, by name in the order of the names; comments are left out."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        plain = line.strip()
        if plain.startswith(("-e ", "--editable ")):
            place = plain.partition(" ")[2].strip()
            egg = _EGG.search(place)
            found[egg[1] if egg else place] = place
        elif match := _LINE.match(plain):
            found[match[1]] = match[2] or match[3] or (match[4] or "").strip()
    return dict(sorted(found.items(), key=lambda item: _key(item[0])))


def _key(name: str) -> str:
    """Return what names of the same package share."""
    return _SEPARATORS.sub("-", name).lower()


@dataclass(frozen=True, slots=True)
class PackageChange:
    """A package that is not the same in both; "" where it is missing."""

    name: str
    here: str
    there: str


@dataclass(slots=True)
class PackageChanges:
    """How the packages of one run differ from those of another."""

    changed: list[PackageChange] = field(default_factory=list)
    only_here: list[PackageChange] = field(default_factory=list)
    only_there: list[PackageChange] = field(default_factory=list)
    same: int = 0

    @property
    def rows(self) -> list[tuple[str, list[PackageChange]]]:
        """What differs, by kind."""
        kinds = (("changed", self.changed), ("here", self.only_here), ("there", self.only_there))
        return [(kind, rows) for kind, rows in kinds if rows]


def compare_packages(here: dict[str, str], there: dict[str, str]) -> PackageChanges:
    """Return how the packages ``here`` differ from those ``there``."""
    changes = PackageChanges()
    names = {_key(name): name for name in [*there, *here]}
    left, right = ({_key(name): text for name, text in side.items()} for side in (here, there))
    for key in sorted(names):
        change = PackageChange(names[key], left.get(key, ""), right.get(key, ""))
        if key not in right:
            changes.only_here.append(change)
        elif key not in left:
            changes.only_there.append(change)
        elif change.here != change.there:
            changes.changed.append(change)
        else:
            changes.same += 1
    return changes
