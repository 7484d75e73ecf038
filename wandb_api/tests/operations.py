"""Every GraphQL operation that an installed SDK can send, read from its files without running it.

Its Python is walked for strings that are documents, also those put together by f-strings, ``+``, ``%``, ``format`` and
``replace``; its Go core, a binary, has its documents as they are.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    Node,
    OperationDefinitionNode,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    parse,
    print_ast,
    visit,
)

from tests import sdks

TEMPLATE = re.compile(r"^\s*(?:#[^\n]*\n\s*)*(?:query|mutation|subscription)\b[^\n{]*?(?:\b(\w+)\s*)?[({]")
_BEGINS = re.compile(r"^\s*(?:query|mutation|subscription|fragment|\{)", re.MULTILINE)
_IN_BINARY = re.compile(rb"(?:query|mutation|subscription) \w+ ?[({]")
_FRAGMENT_IN_BINARY = re.compile(rb"\s*fragment \w+ on \w+ \{")
_PLACEHOLDER = re.compile(r"(?<!\w)_[A-Za-z]+(?:_[A-Za-z]+)+_(?!\w)")
"""What an SDK replaces before it sends; a document that still has one is never sent."""
_LOOSE = re.compile(r"^\s*[A-Z]+_[A-Z]+,?\s*$", re.MULTILINE)
"""The same, of one function that replaces out of our sight; without these lines the rest is what it sends."""
_SKIPPED = {"vendor", "proto"}
_LIMIT = 64
_DEEP = 40


@dataclass(frozen=True)
class Operation:
    """An operation with all fragments it needs, and nothing else."""

    name: str
    kind: str
    text: str
    source: str
    """The file of the package it is in."""


class _Uses(Visitor):
    """Collects the fragments and variables that a node uses."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.spreads: list[str] = []
        self.variables: set[str] = set()
        visit(node, self)

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        self.spreads.append(node.name.value)

    def enter_variable(self, node: VariableNode, _key: object, parent: object, *_: object) -> None:
        if not isinstance(parent, VariableDefinitionNode):
            self.variables.add(node.name.value)


def _whole(
    operation: OperationDefinitionNode, fragments: dict[str, FragmentDefinitionNode], source: str
) -> Operation | None:
    """Return the operation with the fragments it spreads, and theirs; None if the parts are no operation."""
    needed: dict[str, FragmentDefinitionNode] = {}
    uses = _Uses(operation)
    left, variables = uses.spreads, uses.variables
    while left:
        name = left.pop()
        if name in fragments and name not in needed:
            needed[name] = fragments[name]
            uses = _Uses(fragments[name])
            left, variables = left + uses.spreads, variables | uses.variables
    if variables != {definition.variable.name.value for definition in operation.variable_definitions or ()}:
        return None
    document = DocumentNode(definitions=(operation, *(needed[name] for name in sorted(needed))))
    roots = [node.name.value for node in operation.selection_set.selections if isinstance(node, FieldNode)]
    if not roots:  # some other "{}"
        return None
    name = operation.name.value if operation.name else f"({', '.join(roots)})"
    return Operation(name, operation.operation.value, print_ast(document), source)


def _parsed(text: str) -> DocumentNode | None:
    if _PLACEHOLDER.search(text):
        return None
    for attempt in (text, _LOOSE.sub("", text)):
        try:
            return parse(attempt)
        except GraphQLError:
            continue
    return None


@dataclass
class _Choice:
    """One way through what depends on run time; the same for all parts of a string, so that they fit together."""

    assignment: int = 0
    """Which assignment of a variable, counted from the last."""
    call: int = 0
    """Which call of the function whose parameter is asked for."""
    tests: dict[str, bool] = field(default_factory=dict)


_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Module:
    """A file of the package."""

    def __init__(self, path: Path, package: Path) -> None:
        self.name = path.relative_to(package).as_posix()
        self.tree = ast.parse(path.read_text())
        self.returns: dict[str, tuple[_Module, ast.expr]] = {}
        """What the package's functions return whose only statement, but for a docstring, is a return."""
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def assignments(self) -> dict[tuple[ast.AST | None, str], list[tuple[int, ast.expr]]]:
        """Return what is assigned to each name of each function, with the lines; None is the module."""
        found: dict[tuple[ast.AST | None, str], list[tuple[int, ast.expr]]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                targets, value = [node.target], node.value
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                name = ast.copy_location(ast.Name(node.target.id), node)
                targets, value = (
                    [node.target],
                    ast.copy_location(ast.BinOp(name, ast.Add(), node.value), node),
                )
                self.parents[value], self.parents[name] = self.parents[node], value
            else:
                continue
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault((self.function_of(node), target.id), []).append((node.lineno, value))
        return found

    @cached_property
    def calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                found.setdefault(str(name), []).append(node)
        return found

    def function_of(self, node: ast.AST | None) -> _Function | None:
        while node is not None and not isinstance(node, _Function):
            node = self.parents.get(node)
        return node


class _Reader:
    """Says what a string expression may be."""

    def __init__(self, module: _Module, choice: _Choice) -> None:
        self.module = module
        self.choice = choice
        self.seen: set[str] = set()

    def read(self, node: ast.expr, depth: int = 0) -> str:
        """Return the string, with nothing for the parts that cannot be known."""
        text = ""
        if depth > _DEEP:
            return text
        match node:
            case ast.Constant(value=str(text)):
                pass
            case ast.JoinedStr(values=parts):
                text = "".join(self.read(part, depth + 1) for part in parts)
            case ast.FormattedValue(value=value):
                text = self.read(value, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                text = self.read(left, depth + 1) + self.read(right, depth + 1)
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                values = right.elts if isinstance(right, ast.Tuple) else [right]
                filled = iter([self.read(value, depth + 1) for value in values])
                text = re.sub(r"%s", lambda _: next(filled, ""), self.read(left, depth + 1))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                asked = ast.unparse(test)
                self.seen.add(asked)
                text = self.read(body if self.choice.tests.get(asked) else orelse, depth + 1)
            case ast.Name(id=name):
                text = self._variable(node, name, depth)
            case ast.Call():
                text = self._call(node, depth)
        return text

    def _call(self, node: ast.Call, depth: int) -> str:
        arguments = [self.read(argument, depth + 1) for argument in node.args]
        match node.func:
            case ast.Attribute(value=receiver, attr="format"):
                named = {key.arg: self.read(key.value, depth + 1) for key in node.keywords if key.arg}
                try:
                    return self.read(receiver, depth + 1).format(*arguments, **named)
                except (IndexError, KeyError, ValueError):
                    return ""
            case ast.Attribute(value=receiver, attr="replace") if len(arguments) == 2:
                return self.read(receiver, depth + 1).replace(arguments[0], arguments[1])
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in self.module.returns:
                return self._returned(name, depth)
            case _ if len(arguments) == 1:  # gql("…"), dedent("…")
                return arguments[0]
        return ""

    def _returned(self, name: str, depth: int) -> str:
        module, value = self.module.returns[name]
        reader = _Reader(module, self.choice)
        text = reader.read(value, depth + 1)
        self.seen |= reader.seen
        return text

    def _variable(self, node: ast.expr, name: str, depth: int) -> str:
        function = self.module.function_of(node)
        line = getattr(node, "lineno", 0)
        assigned = [
            value for at, value in self.module.assignments.get((function, name), []) if at < line
        ] or [value for _, value in self.module.assignments.get((None, name), [])]
        if assigned:
            return self.read(assigned[max(-len(assigned), -1 - self.choice.assignment)], depth + 1)
        return self._parameter(function, name, depth) if function else ""

    def _parameter(self, function: _Function, name: str, depth: int) -> str:
        names = [arg.arg for arg in (*function.args.args, *function.args.kwonlyargs) if arg.arg != "self"]
        calls = self.module.calls.get(function.name, [])
        if name not in names or not calls:
            return ""
        call = calls[self.choice.call % len(calls)]
        given = dict(zip(names, call.args, strict=False)) | {
            key.arg: key.value for key in call.keywords if key.arg
        }
        return self.read(given[name], depth + 1) if name in given else ""


def _variants(module: _Module, node: ast.expr) -> Iterator[str]:
    """Yield what the expression may be, over all ways through it."""
    for assignment, call in itertools.product(range(3), range(3)):
        first = _Reader(module, _Choice(assignment, call))
        yield first.read(node)
        tests = sorted(first.seen)
        for answers in itertools.islice(itertools.product((False, True), repeat=len(tests)), 1, _LIMIT):
            choice = _Choice(assignment, call, dict(zip(tests, answers, strict=True)))
            yield _Reader(module, choice).read(node)


def _builds(node: ast.AST | None) -> bool:
    return isinstance(node, ast.JoinedStr | ast.FormattedValue | ast.BinOp | ast.IfExp) or (
        isinstance(node, ast.Call)
        and (isinstance(node.func, ast.Attribute) and node.func.attr in {"format", "replace"})
    )


def _expressions(module: _Module) -> Iterator[ast.expr]:
    """Yield the outermost expressions that make strings."""
    for node in ast.walk(module.tree):
        is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if isinstance(node, ast.expr) and (is_string or _builds(node)):
            parent = module.parents.get(node)
            if isinstance(parent, ast.Attribute):  # "…".format
                parent = module.parents.get(parent)
            if not _builds(parent) and not isinstance(parent, ast.Expr):
                yield node


@dataclass
class Found:
    """What a package has."""

    operations: list[Operation] = field(default_factory=list)
    templates: set[tuple[str, str]] = field(default_factory=set)
    """(file, name) of all strings that begin like an operation, whether or not they could be put together."""

    def add(self, document: DocumentNode, source: str, fragments: dict[str, FragmentDefinitionNode]) -> None:
        """Add a document's operations; what it has of fragments goes before those of the package."""
        known = fragments | {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        for node in document.definitions:
            if isinstance(node, OperationDefinitionNode):
                operation = _whole(node, known, source)
                if operation:
                    self.operations.append(operation)


def _modules(package: Path) -> list[_Module]:
    modules = [
        _Module(path, package)
        for path in sorted(package.rglob("*.py"))
        if not _SKIPPED & set(path.relative_to(package).parts)
        and re.search(r"\b(?:query|mutation|fragment)\s+\w+", path.read_text())
    ]
    returns: dict[str, tuple[_Module, ast.expr]] = {
        node.name: (module, node.body[-1].value)
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, _Function)
        and isinstance(node.body[-1], ast.Return)
        and isinstance(node.body[-1].value, ast.IfExp)
    }
    for module in modules:
        module.returns = returns
    return modules


def _templates(module: _Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{" in node.value:
            match = TEMPLATE.match(node.value)
            if match and match[1]:
                yield module.name, match[1]


def _documents(module: _Module) -> Iterator[DocumentNode]:
    for node in _expressions(module):
        for text in dict.fromkeys(_variants(module, node)):
            if "{" in text and _BEGINS.search(text):
                document = _parsed(text)
                if document:
                    yield document


def _read_python(package: Path, found: Found) -> None:
    modules = _modules(package)
    documents = [(module, document) for module in modules for document in _documents(module)]
    fragments: dict[str, FragmentDefinitionNode] = {}
    for _, document in documents:
        for definition in document.definitions:
            if isinstance(definition, FragmentDefinitionNode):
                fragments.setdefault(definition.name.value, definition)
    for module, document in documents:
        found.add(document, module.name, fragments)
    found.templates = {template for module in modules for template in _templates(module)}


def _balanced(content: bytes, start: int) -> int:
    """Return where the selection that begins after ``start`` ends."""
    depth = brackets = 0
    for at in range(start, len(content)):
        byte = content[at : at + 1]
        brackets += {b"(": 1, b")": -1}.get(byte, 0)
        if brackets == 0:
            depth += {b"{": 1, b"}": -1}.get(byte, 0)
            if byte == b"}" and depth == 0:
                return at + 1
    raise AssertionError(f"no end of {content[start : start + 60]!r}")


def _read_core(core: Path, found: Found) -> None:
    content = core.read_bytes()
    for match in _IN_BINARY.finditer(content):
        end = _balanced(content, match.start())
        while more := _FRAGMENT_IN_BINARY.match(content, end):
            end = _balanced(content, more.start())
        found.add(parse(content[match.start() : end].decode()), "bin/wandb-core", {})


@lru_cache
def operations_of(version: str) -> Found:
    """Return all that a release can send, each once."""
    package = next((sdks.python_of(version).parent.parent / "lib").glob("python3*/site-packages/wandb"))
    found = Found()
    _read_python(package, found)
    core = package / "bin" / "wandb-core"
    if core.exists():
        _read_core(core, found)
    unique = {(operation.name, operation.text): operation for operation in found.operations}
    found.operations = sorted(unique.values(), key=lambda operation: (operation.name.lower(), operation.text))
    return found
