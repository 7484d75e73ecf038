"""The rules of ARCHITECTURE.md that a program can hold; `lint-imports` holds the layers."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.suite.contract import files

ROOT = Path(__file__).resolve().parents[1]
LOOSE = 12
LONGEST = 400
BESIDE_THE_SERVER = {"agent", "bench", "demo", "tests"}


@cache
def server() -> dict[str, ast.Module]:
    """Return the modules of the server by their dotted names."""
    paths = [path.relative_to(ROOT) for path in files("*.py")]
    ours = [
        path
        for path in paths
        if len(path.parts) > 1
        and path.parts[0] not in BESIDE_THE_SERVER
        and not {"tests", "migrations"} & set(path.parts)
    ]
    return {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): ast.parse((ROOT / path).read_text())
        for path in ours
    }


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports anywhere, also within functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in server() else node.module


def test_few_modules_lie_loose_on_top_of_an_app():
    crowded = {}
    for app in sorted({name.partition(".")[0] for name in server()}):
        loose = [path for path in (ROOT / app).glob("*.py") if path.name != "__init__.py"]
        if len(loose) > LOOSE:
            crowded[app] = len(loose)
    assert crowded == {}


def require_no_cycle(part_of: Callable[[str], str]) -> None:
    """Fail where parts import each other; ``part_of`` names the part that a module belongs to."""
    graph: dict[str, set[str]] = defaultdict(set)
    for name, tree in server().items():
        graph[part_of(name)] |= {part_of(other) for other in imported(tree) if other in server()} - {
            part_of(name)
        }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_no_module_imports_itself_by_way_of_others():
    require_no_cycle(lambda name: name)


def test_no_folder_imports_itself_by_way_of_others():
    require_no_cycle(lambda name: ".".join(name.split(".")[:2]))


def test_no_module_is_longer_than_a_reader_keeps_in_mind():
    paths = [*files("*.py"), *files("*.ts")]
    lines = {
        str(path.relative_to(ROOT)): path.read_text().count("\n")
        for path in paths
        if not {"tests", "migrations"} & set(path.relative_to(ROOT).parts)
    }
    assert {name: length for name, length in lines.items() if length > LONGEST} == {}


def forbidden() -> set[str]:
    """Return the words of the glossary's last column: each has a better one in the first."""
    rows = re.findall(r"^\|(.+)\|$", (ROOT / "docs/develop/glossary.md").read_text(), re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`(\w+)`", row.split("|")[-1])}


def defined(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module gives: its own, and those of its classes and functions."""
    yield name.rpartition(".")[2]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


def words(name: str) -> set[str]:
    """Split a name in snake or camel case; also the name as a whole is one."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return {word.lower() for word in spaced.split("_") if word} | {name}


def test_no_name_holds_a_word_that_the_glossary_forbids():
    never = forbidden()
    assert len(never) > 10
    assert "told" in words("_told") & never
    bad = [
        f"{module}: {name}"
        for module, tree in server().items()
        for name in defined(module, tree)
        if words(name) & never
    ]
    assert bad == []


EAGER = {"gettext", "ngettext", "npgettext", "pgettext"}


def test_no_style_asks_what_a_whole_page_holds():
    """The browser would style the page anew with each node that is added; docs/develop/front-end.md has figures."""
    whole = re.compile(r"(?<![\w-])(?:html|body|:root|\.frame|\.main|\.page)(?![\w-])[^\s>+~,{]*:has\(")
    found = [
        f"{path.name}: {line.strip()}"
        for path in sorted((ROOT / "assets" / "css").glob("*.css"))
        for line in path.read_text().splitlines()
        if whole.search(line)
    ]
    assert found == []


def called_at_import(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that importing a module makes itself, those in bodies of functions left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from called_at_import(child)


def test_no_message_is_translated_while_its_module_is_imported():
    """Such a message stays in the language of who came first (UI-9)."""
    frozen = []
    for name, tree in server().items():
        eager = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
            for alias in node.names
            if alias.name in EAGER
        }
        frozen += [
            f"{name}:{call.lineno}"
            for call in called_at_import(tree)
            if isinstance(call.func, ast.Name) and call.func.id in eager
        ]
    assert frozen == []
