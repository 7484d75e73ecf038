"""Secrets that landed in config, command line or log: found by their shapes, and masked where people look.

What is stored stays exactly as it came, and the SDK gets it back so; `runs.secrets.readers` says who else. All patterns
are RE2, so time is linear in the text. Hashes, UUIDs and run ids have no shape of their own here and are masked only
where a name says that they are a password.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import re2

MASK = "••••••••"
_SHOWN = 4
"""So many characters of a known token stay, to tell which one it is."""

_KNOWN_PATTERNS = {
    "wandb": r"\bwandb_v1_[A-Za-z0-9_-]{40}[A-Za-z0-9_-]*|\blocal-[0-9a-f]{40}\b|\bry-[A-Za-z0-9]{40}\b",
    "aws": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "github": r"\bgh[pousr]_[A-Za-z0-9]{36}[A-Za-z0-9]*\b|\bgithub_pat_[A-Za-z0-9_]{22}[A-Za-z0-9_]*\b",
    "gitlab": r"\bglpat-[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*",
    "openai": r"\bsk-[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*",
    "huggingface": r"\b(?:hf|api_org)_[A-Za-z0-9]{30}[A-Za-z0-9]*\b",
    "slack": r"\bxox[abeoprs]-[A-Za-z0-9-]{10}[A-Za-z0-9-]*"
    r"|\bhooks\.slack\.com/services/[A-Za-z0-9/]{20}[A-Za-z0-9/]*",
    "google": r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*",
    "stripe": r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16}[A-Za-z0-9]*\b",
    "npm": r"\bnpm_[A-Za-z0-9]{36}\b",
    "pypi": r"\bpypi-AgE[A-Za-z0-9_-]{50}[A-Za-z0-9_-]*",
    "jwt": r"\beyJ[A-Za-z0-9_-]{10}[A-Za-z0-9_-]*\.eyJ[A-Za-z0-9_-]{10}[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{10}[A-Za-z0-9_-]*",
}
_KNOWN_PATTERN = re2.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _KNOWN_PATTERNS.items()))
_URL = re2.compile(r"[a-z][a-z0-9+.-]+://[^\s:/@]+:([^\s/@]{3}[^\s/@]*)@")
_HEADER = re2.compile(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{20}[A-Za-z0-9._~+/=-]*)")
_KEY_BEGIN = re2.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_KEY_END = re.compile(r"-----END [A-Z ]{0,30}PRIVATE KEY-----")
_KEY_LINE = re.compile(r"\s*(?:(?:ERROR )?[0-9T:.-]{19,32} )?[A-Za-z0-9+/=]{16,100}\s*")
_KEY_CHARACTERS = 16_000
_NAME = "(?:password|passwd|passphrase|secret|token|(?:api|access|secret|private|auth)[_-]?key)"
_ASSIGNED = re2.compile(
    rf"(?i)([\w.-]*{_NAME})[\"']?(?:\s*[:=]\s*(?:value:\s*)?|[ \t]+)"
    r"(?:\"([^\"\n]{6}[^\"\n]*)\"|'([^'\n]{6}[^'\n]*)'|([^\s\"',;&]{6}[^\s\"',;&]*))"
)
_FLAG_OR_ASSIGNED = re.compile(r"^-{1,2}|[:=]\s*[\"']?$")
_TELLTALE = re2.compile(
    r"(?i)wandb_v1_|local-|ry-|A[KSBC][IC]A|gh[pousr]_|github_pat|glpat-|sk-|hf_|api_org_|xox|slack|AIza|ya29|"
    r"k_live|k_test|npm_|pypi-|eyJ|PRIVATE KEY|://|bearer|basic|passw|passphrase|secret|token|[_-]?key"
)
"""What any finding has in it; most lines of a log have none of it."""
_NAMED = re.compile(rf"(?i)(?:^|[._-]|[a-z]){_NAME}$")
_PLACEHOLDER = re.compile(
    r"(?i)^(none|null|true|false|undefined|unset|redacted|hidden|required|missing|invalid|optional|"
    r"[*x•.]+|<.*>|\[.*\]|\$\{?.*|%.*%|\{\{?.*|os\.environ.*|env[:.].*)$"
)


@dataclass(frozen=True, slots=True)
class Secret:
    """What looks like a secret in a text."""

    start: int
    stop: int
    kind: str
    """A name of `_KNOWN_PATTERNS`, or "key", "assigned", "url", "header"."""


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """Where a secret was found."""

    where: str
    """A dotted config key, or the part of the command line."""
    kind: str


def _entropy(text: str) -> float:
    """Return bits a character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _classes(text: str) -> int:
    tests = (str.islower, str.isupper, str.isdigit, lambda c: not c.isalnum())
    return sum(any(map(test, text)) for test in tests)


def looks_secret(name: str, value: str) -> bool:
    """Say whether a value is a secret because of the name it goes by: ``db_password``, ``HF_TOKEN``, ``api-key``."""
    if not _NAMED.search(name) or len(value) < 6 or _PLACEHOLDER.match(value):
        return False
    if re.search(r"(?i)passw|passphrase", name):
        return _classes(value) >= 2
    # token, key and secret are also words of language models and cryptography: only what is random counts
    return (
        len(value) >= 16 and _classes(value) >= 2 and any(map(str.isdigit, value)) and _entropy(value) >= 3.0
    )


def _is_mixed(text: str) -> bool:
    return any(map(str.islower, text)) and any(map(str.isupper, text)) and any(map(str.isdigit, text))


def _known_secrets(text: str) -> Iterator[Secret]:
    for match in _KNOWN_PATTERN.finditer(text):
        kind = str(match.lastgroup)
        if kind != "openai" or _is_mixed(match[0]):  # "sk-resnet50-pretrained-large" is a name
            yield Secret(match.start(), match.end(), kind)


def _keys(text: str) -> Iterator[Secret]:
    """Find private keys: to their end, or where that is cut off, as far as lines look like one."""
    for match in _KEY_BEGIN.finditer(text):
        end = _KEY_END.search(text, match.end(), match.end() + _KEY_CHARACTERS)
        stop = end.end() if end else match.end()
        while (
            end is None and stop < len(text) and (line := _KEY_LINE.match(text, stop)) and line.end() > stop
        ):
            stop = line.end()
        yield Secret(match.start(), stop, "key")


def _assigned(text: str) -> Iterator[Secret]:
    for match in _ASSIGNED.finditer(text):
        group = next(number for number in (2, 3, 4) if match.start(number) >= 0)
        between = text[match.end(1) : match.start(group)]
        by_flag = match[1].startswith("-")
        if (by_flag or _FLAG_OR_ASSIGNED.search(between)) and looks_secret(
            match[1].lstrip("-"), match[group]
        ):
            yield Secret(match.start(group), match.end(group), "assigned")


def may_hold(text: str) -> bool:
    """Say, quickly, whether a text may hold a secret."""
    return _TELLTALE.search(_encodable(text)) is not None


def _encodable(text: str) -> str:
    """Return the text as RE2 takes it: without lone surrogates, each of which becomes one other character."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def find(text: str) -> list[Secret]:
    """Return what looks like a secret, in order, none within another."""
    text = _encodable(text)
    if not _TELLTALE.search(text):
        return []
    found = [*_known_secrets(text), *_keys(text), *_assigned(text)]
    found += [Secret(match.start(1), match.end(1), "url") for match in _URL.finditer(text)]
    found += [
        Secret(match.start(1), match.end(1), "header")
        for match in _HEADER.finditer(text)
        if _classes(match[1]) > 1
    ]
    apart: list[Secret] = []
    for secret in sorted(found, key=lambda secret: (secret.start, -secret.stop)):
        if not apart or secret.start >= apart[-1].stop:
            apart.append(secret)
    return apart


def _masked(text: str, secrets: Sequence[Secret]) -> str:
    parts, at = [], 0
    for secret in secrets:
        shown = _SHOWN if secret.kind in _KNOWN_PATTERNS else 0
        parts += [text[at : secret.start + shown], MASK]
        at = secret.stop
    return "".join([*parts, text[at:]])


def mask(text: str) -> str:
    """Return the text with what looks like a secret replaced by bullets."""
    secrets = find(text)
    return _masked(text, secrets) if secrets else text


def mask_lines(lines: Sequence[str | None]) -> tuple[list[str | None], int]:
    """Mask consecutive lines of a log, also keys that span lines; the number of lines stays.

    Returns:
        The lines, and in how many of them something was masked.
    """
    texts = [line or "" for line in lines]
    whole = "\n".join(texts)
    secrets = find(whole)
    if not secrets:
        return list(lines), 0
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    parts: dict[int, list[Secret]] = {}
    number = 0
    for secret in secrets:
        while starts[number + 1] <= secret.start:
            number += 1
        inner = number
        while inner < len(texts) and starts[inner] < secret.stop:
            begin, end = starts[inner], starts[inner] + len(texts[inner])
            part = Secret(max(secret.start, begin) - begin, min(secret.stop, end) - begin, secret.kind)
            if part.start < part.stop:
                parts.setdefault(inner, []).append(part)
            inner += 1
    shown = list(lines)
    for line, some in parts.items():
        shown[line] = _masked(texts[line], some)
    return shown, len(parts)


def mask_tree(tree: Any, path: tuple[str, ...] = ()) -> tuple[Any, list[FoundSecret]]:
    """Return a JSON value with secrets in its strings masked, and where they were; names of keys count, too."""
    if isinstance(tree, dict):
        shown: dict[str, Any] = {}
        found: list[FoundSecret] = []
        for key, value in tree.items():
            shown[key], some = mask_tree(value, (*path, str(key)))
            found += some
        return shown, found
    if isinstance(tree, list) and tree and all(isinstance(value, str) for value in tree):
        arguments, any_found = mask_arguments(tree)
        return arguments, [FoundSecret(".".join(path), "argument")] if any_found else []
    if isinstance(tree, list):
        pairs = [mask_tree(value, path) for value in tree]
        return [value for value, _ in pairs], [where for _, some in pairs for where in some]
    if not isinstance(tree, str):
        return tree, []
    named = path[:-1] if path[-1:] == ("value",) else path  # the SDK wraps what a config has under a name
    if named and looks_secret(named[-1], tree):
        return MASK, [FoundSecret(".".join(path), "assigned")]
    secrets = find(tree)
    where = ".".join(path)
    return (_masked(tree, secrets), [FoundSecret(where, secrets[0].kind)]) if secrets else (tree, [])


def mask_arguments(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Mask a command line: ``--api-key VALUE``, ``--token=VALUE`` and known shapes; says whether there were any."""
    shown, before = [], ""
    for argument in arguments:
        named = before.startswith("-") and looks_secret(before.lstrip("-").replace("-", "_"), argument)
        shown.append(MASK if named else mask(argument))
        before = argument
    return shown, shown != list(arguments)
