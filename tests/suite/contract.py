"""What others rely on, as data: `python -m tests.suite.contract FILE` writes it, `… BEFORE AFTER` shows what differs.

For changes that only move and rename: tests, routes, actions, REST and GraphQL descriptions, tables of the configured
database, beat entries, settings, commands, make targets, metrics and translations are the same before and after.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
Lines = list[str]


def files(pattern: str) -> Iterator[Path]:
    """Yield the files that git knows and that match."""
    listed = subprocess.run(
        ["git", "ls-files", pattern],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    yield from (ROOT / name for name in listed.stdout.splitlines())


def digest(value: Any) -> str:
    """Return a short hash of JSON or text."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def tests() -> Lines:
    """Names of all collected tests without their folders."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "-q", "--collect-only"],
        cwd=ROOT, capture_output=True, text=True, env=os.environ | {"RUNYARD_TEST_PASS": "all"}, check=False,
    )  # fmt: skip
    found = [line for line in done.stdout.splitlines() if re.match(r"\S+\.py::", line)]
    return [line.partition("::")[0].rpartition("/")[2] + "::" + line.partition("::")[2] for line in found]


def assertions() -> Lines:
    """The number of assertions in all tests and what they share."""
    trees = [ast.parse(path.read_text()) for path in files("*.py") if "tests" in path.relative_to(ROOT).parts]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    raises = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "raises"]
    return [f"assert {sum(isinstance(node, ast.Assert) for node in nodes)}", f"raises {len(raises)}"]


def routes() -> Lines:
    """Every path with what its view declares; the admin's, which follow the names of apps, by their last part."""
    from access.routes import declaration_of
    from config.sockets import urlpatterns
    from tests.matrix.asking import lean_endpoints, url_patterns

    views: list[tuple[str, Any]] = [(pattern, view) for _name, pattern, view in url_patterns()]
    views += [(str(route.pattern), route.callback.consumer_class) for route in urlpatterns]
    views += list(lean_endpoints().items())
    return [
        f"{re.sub(r'^/admin/[a-z_]+/', '/admin/*/', path)} {declaration_of(view)}" for path, view in views
    ]


def actions() -> Lines:
    """Actions, key scopes and the words of the audit log, as rows hold them."""
    from access.actions import all_actions
    from access.audit import words as audit_words
    from accounts.api_keys.scopes import all_scopes

    lines = [f"action {name} {spec.group} {spec.label}" for name, spec in all_actions()]
    lines += [f"scope {scope}" for scope in all_scopes()]
    return lines + [f"audit {name} {words}" for name, words in audit_words._words.items()]


def rest() -> Lines:
    """Each REST operation, with components written out, so that their names do not count."""
    schema = json.loads((ROOT / "docs/openapi.json").read_text())

    def plain(value: Any, inside: tuple[str, ...] = ()) -> Any:
        if isinstance(value, list):
            return [plain(item, inside) for item in value]
        if not isinstance(value, dict):
            return value
        target = value.get("$ref", "")
        if target in inside:
            return "itself"
        if target:
            found: Any = schema
            for part in target.removeprefix("#/").split("/"):
                found = found[part]
            return plain(found, (*inside, target))
        return {key: plain(item, inside) for key, item in value.items() if key != "mapping"}

    return [
        f"{method} {path} {digest(plain(operation))}"
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def graphql() -> Lines:
    """The schema of the SDK's protocol, by the hash of each type."""
    from graphql import parse, print_ast

    (path,) = files("*/schema.graphql")
    return [digest(print_ast(definition)) for definition in parse(path.read_text()).definitions]


def tables() -> Lines:
    """Tables, columns, constraints and indexes of the database that the variables of the environment name."""
    from django.db import connection

    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    lines: Lines = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            for column in connection.introspection.get_table_description(cursor, table):
                shape = (
                    column.type_code,
                    column.internal_size,
                    column.null_ok,
                    column.default,
                    column.collation,
                )
                lines.append(f"{connection.vendor} {table} column {column.name} {shape}")
            constraints = connection.introspection.get_constraints(cursor, table)
            lines += [f"{connection.vendor} {table} {name} {shape}" for name, shape in constraints.items()]
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            lines += [
                f"sql {name} {digest(', '.join(sorted(sql.split(', '))))}" for name, sql in cursor.fetchall()
            ]
    connection.creation.destroy_test_db(":memory:", verbosity=0)
    return [line for line in lines if "django_migrations" not in line]


def beat() -> Lines:
    """What happens by itself, and how often."""
    from django.conf import settings

    entries = settings.CELERY_BEAT_SCHEDULE.items()
    return [f"{name} {str(entry['task']).rpartition('.')[2]} {entry['schedule']}" for name, entry in entries]


def commands() -> Lines:
    """Commands with their options, variables of the environment, targets of make."""
    from django.apps import apps
    from django.core.management import get_commands, load_command_class

    ours = {config.name for config in apps.get_app_configs() if (ROOT / config.name).is_dir()}
    lines = []
    for name, app in get_commands().items():
        if app in ours:
            parser = load_command_class(app, name).create_parser("manage.py", name)
            options = [(a.option_strings or [a.dest], a.default, a.help) for a in parser._actions]
            lines.append(f"manage.py {name} {options}")
    sources = [path.read_text() for path in files("*.py")]
    variables = {name for text in sources for name in re.findall(r"RUNYARD_[A-Z0-9_]+", text)}
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    metrics = {
        name
        for text in sources
        for name in re.findall(r"[\"']((?:runyard|celery|http)_[a-z0-9_]+)[\"']", text)
    }
    workloads = (ROOT / "bench/peers/workloads.py").read_text()
    return [
        *lines, *variables, *(f"make {name}" for name in targets), *(f"metric {name}" for name in metrics),
        f"bench.peers {digest(sorted(re.findall(r'[a-z_]{4,}', workloads)))}",
    ]  # fmt: skip


def messages() -> Lines:
    """Every message with its translations."""
    from babel.messages.pofile import read_po

    from common.catalogues import LANGUAGES, path_of

    lines = []
    for language in LANGUAGES:
        with path_of(language).open("rb") as file:
            catalog = read_po(file, locale=language)
        for message in catalog:
            if message.id:
                fuzzy = "fuzzy" if message.fuzzy else "kept"
                lines.append(f"{language} {fuzzy} {message.context} {message.id!r} {message.string!r}")
    return lines


SECTIONS: tuple[Callable[[], Iterable[str]], ...] = (
    tests, assertions, routes, actions, rest, graphql, tables, beat, commands, messages,
)  # fmt: skip


def write(path: Path) -> None:
    """Write all sections."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    import django

    django.setup()
    found = {section.__name__: sorted(section()) for section in SECTIONS}
    path.write_text(json.dumps(found, ensure_ascii=False, indent=0))
    print("  ".join(f"{name} {len(lines)}" for name, lines in found.items()))


def compare(before: Path, after: Path) -> int:
    """Print what differs; return how many lines do."""
    old, new = json.loads(before.read_text()), json.loads(after.read_text())
    differing = 0
    for name in old:
        gone, come = Counter(old[name]) - Counter(new[name]), Counter(new[name]) - Counter(old[name])
        differing += gone.total() + come.total()
        print(
            f"{name}: {len(old[name])} before, {len(new[name])} after, {gone.total()} gone, {come.total()} new"
        )
        for sign, lines in (("-", gone), ("+", come)):
            print(*(f"  {sign} {line[:300]}" for line in sorted(lines)), sep="\n", end="\n" if lines else "")
    return differing


if __name__ == "__main__":
    given = [Path(name) for name in sys.argv[1:]]
    sys.exit(bool(compare(*given))) if len(given) == 2 else write(*given)
