"""Every setting, declared once: its flag, its environment variable, its key in the file, its default.

A flag wins over the environment, the environment over the file, and that over what the SDK's own variables and
``wandb login`` say of the same server.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Callable, NamedTuple

WRAPPED_RUN = "RUNYARD_WRAPPED_RUN"
"""Tells a program by its run's id that the run is recorded from outside already; ``init`` joins it."""

Parse = Callable[[str], Any]


class SettingsError(Exception):
    """A setting can't be used; the message names it and where it came from."""


class Setting(NamedTuple):
    name: str
    default: Any
    parse: Parse
    form: str
    """What a value looks like, in help."""
    text: str
    secret: bool = False
    repeated: bool = False
    """The flag may be given again."""
    aliases: tuple[str, ...] = ()
    """Keys in the file and variables that other clients call it by."""
    sdk_variable: str = ""
    """The SDK's variable that says it where nothing of ours does."""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "RUNYARD_" + self.name.upper()


class Value(NamedTuple):
    value: Any
    origin: str


def _number(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e9:
        raise ValueError("it must be more than 0")
    return value


def _switch(text: str) -> bool:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    try:
        return words[text.strip().lower()]
    except KeyError:
        raise ValueError("it must be true or false") from None


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _integers(text: str) -> list[int]:
    return [int(part) for part in _list(text)]


def _map(text: str) -> dict[str, str]:
    """Read ``name=value`` pairs, or a JSON object when a value holds a comma."""
    if text.lstrip().startswith("{"):
        found = json.loads(text)
        return {str(name): str(value) for name, value in found.items()}
    pairs = (part.partition("=") for part in _list(text))
    found = {name.strip(): value.strip() for name, _, value in pairs}
    if not all(found) or not all(found.values()):
        raise ValueError("it must be name=value")
    return found


def _filters(text: str) -> Any:
    """Read expressions, or a JSON object of an expression by {label: expression}."""
    found = json.loads(text) if text.lstrip()[:1] in ("{", "[") else [text]
    from runyard_agent.collectors.openmetrics import compile_filters

    compile_filters(found)
    return found


def _address(text: str) -> str:
    _, colon, port = text.rpartition(":")
    if text and not (colon and port.isdecimal() and int(port) < 2**16):
        raise ValueError("it must be HOST:PORT")
    return text


def _choice(*words: str) -> Parse:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError(f"it must be one of {', '.join(words)}")
        return text

    return parse


SETTINGS: tuple[Setting, ...] = (
    Setting("url", "", str, "URL", "Address of the Runyard server.", sdk_variable="WANDB_BASE_URL"),
    Setting("api_key", "", str, "KEY", "API key for the server; there is no flag for it, since other users could see it.", secret=True, sdk_variable="WANDB_API_KEY"),
    Setting("project", "uncategorized", str, "NAME", "Project of the runs; created if it does not exist.", sdk_variable="WANDB_PROJECT"),
    Setting("entity", "", str, "NAME", "Team or person that the project belongs to; empty is the key's default.", sdk_variable="WANDB_ENTITY"),
    Setting("run_id", "", str, "ID", "Id of the run; an existing run is resumed."),
    Setting("name", "", str, "NAME", "Name of the run; empty lets the server choose."),
    Setting("group", "", str, "NAME", "Group of runs that belong together."),
    Setting("job_type", "", str, "NAME", "What the run does in its group, such as train or eval."),
    Setting("tags", [], _list, "TAG", "Tags of the run.", repeated=True),
    Setting("notes", "", str, "TEXT", "Notes on the run."),
    Setting("user", "", str, "NAME", "With a service account's key: the member whose runs these are."),
    Setting("mode", "online", _choice("online", "offline", "disabled"), "MODE", "online, offline (records for sync to send later) or disabled."),
    Setting("console", True, _switch, "BOOL", "Record what is printed."),
    Setting("begin_timeout", 10.0, _number, "SECONDS", "How long init() waits for the server to name the run."),
    Setting("finish_timeout", 60.0, _number, "SECONDS", "How long a run waits at its end until everything is sent; sync sends the rest."),
    Setting("interrupt_on_stop", True, _switch, "BOOL", "In Python, raise KeyboardInterrupt in the main thread when the run is stopped on the web."),
    Setting("sigterm_after", 30.0, _number, "SECONDS", "A command stopped on the web gets SIGINT, and SIGTERM after this time."),
    Setting("sigkill_after", 30.0, _number, "SECONDS", "It gets SIGKILL after this time more."),
    Setting("interval", 15.0, _number, "SECONDS", "Seconds between samples.", aliases=("x_stats_sampling_interval", "_stats_sample_rate_seconds")),
    Setting("label", "", str, "NAME", "Tells several hosts of one run apart; appended to each tag.", aliases=("x_label",)),
    Setting("pid", None, int, "PID", "The process to watch, with all it started; none watches the machine.", aliases=("x_stats_pid", "_stats_pid")),
    Setting("process_tree", True, _switch, "BOOL", "Count what the process started, too.", aliases=("x_stats_track_process_tree",)),
    Setting("per_core", False, _switch, "BOOL", "Sample each CPU core, too."),
    Setting("disk_paths", ["/"], _list, "PATH", "Paths whose file systems are sampled.", repeated=True, aliases=("x_stats_disk_paths", "_stats_disk_paths")),
    Setting("gpus", [], _integers, "INDEX", "Indexes of the GPUs to sample; empty takes all.", repeated=True, aliases=("x_stats_gpu_device_ids", "_stats_gpu_device_ids")),
    Setting("cgroup", True, _switch, "BOOL", "Count against the limits of the container."),
    Setting("host_proc", "", str, "PATH", "In a container, where the host's /proc is mounted."),
    Setting("without", [], _list, "COLLECTOR", "Collectors to leave out, by the names that doctor prints.", repeated=True),
    Setting("tool_timeout", 5.0, _number, "SECONDS", "How long a tool or endpoint may take."),
    Setting("amd_source", "", _choice("", "sys", "amd-smi", "rocm-smi"), "NAME", "How AMD GPUs are read: sys, amd-smi or rocm-smi; empty takes the first that works."),
    Setting("tpu_address", "localhost:8431", str, "HOST:PORT", "Where the TPU's runtime metrics service listens."),
    Setting("neuron_config", "", str, "PATH", "A configuration of your own for neuron-monitor.", aliases=("x_stats_neuron_monitor_config_path",)),
    Setting("dcgm", "", str, "URL", "A DCGM exporter (http://node:9400/metrics), or a Prometheus query of its metrics.", aliases=("x_stats_dcgm_exporter",)),
    Setting("openmetrics", {}, _map, "NAME=URL", "Endpoints in the text format of Prometheus or OpenMetrics.", repeated=True, aliases=("x_stats_open_metrics_endpoints", "_stats_open_metrics_endpoints")),
    Setting("openmetrics_filters", [], _filters, "REGEX", "Which of their metrics are kept: expressions for name.metric, or a JSON object of them with expressions for labels.", repeated=True, aliases=("x_stats_open_metrics_filters", "_stats_open_metrics_filters")),
    Setting("openmetrics_headers", {}, _map, "NAME=VALUE", "Headers for those endpoints and for dcgm; no flag, since they may hold passwords.", secret=True, aliases=("x_stats_open_metrics_http_headers",)),
    Setting("metrics_listen", "", _address, "HOST:PORT", "Where the newest samples are served for Prometheus, on /metrics, without a password; empty serves none."),
    Setting("spool_dir", "", str, "PATH", "Where records wait until they are sent."),
    Setting("spool_max_mb", 1024.0, _number, "MIB", "How much of a run may wait on disk; then the oldest is dropped: system samples, console, history."),
    Setting("keep_sent", False, _switch, "BOOL", "Keep what was sent on disk, too."),
)  # fmt: skip


class Settings:
    """The values in force, each with where it came from."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name].value
        except KeyError:
            raise AttributeError(name) from None

    def replaced(self, **values: Any) -> Settings:
        """Return the same settings but for these values."""
        return Settings(
            {**self._values, **{name: Value(value, "replaced") for name, value in values.items()}}
        )

    def origin(self, name: str) -> str:
        """Return where the value came from: a flag, a variable, a file, or "default"."""
        return self._values[name].origin

    def items(self) -> Iterable[tuple[Setting, Value]]:
        return [(setting, self._values[setting.name]) for setting in SETTINGS]


def shown(setting: Setting, value: Any) -> Any:
    """Return a value as it may be printed: of a secret only that there is one."""
    if not setting.secret or not value:
        return value
    if isinstance(value, dict):
        return dict.fromkeys(value, "********")
    return "********"


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    file: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """Return the settings in force.

    Args:
        flags: text, or a list of texts, by name; None counts as not given.
        file: a TOML file that must exist; None takes the person's own if there is one.

    Raises:
        SettingsError: a file, key or value can't be used.
    """
    path = Path(file) if file else default_file(environment)
    from_file = _read(path, must_exist=file is not None)
    values = {}
    for setting in SETTINGS:
        value = Value(setting.default, "default")
        for key in (setting.name, *setting.aliases):
            if key in from_file:
                value = _checked(setting, from_file.pop(key), f"{path} ({key})")
        for variable in (setting.variable, *_foreign(setting)):
            if environment.get(variable):
                value = _checked(setting, environment[variable], variable)
                break
        given = (flags or {}).get(setting.name)
        if given is not None and given != []:
            value = _checked(setting, given, setting.flag)
        values[setting.name] = value
    if from_file:
        raise SettingsError(f"{path} has unknown settings: {', '.join(sorted(from_file))}")
    return Settings({**values, **_of_sdk(values, environment)})


def _of_sdk(values: Mapping[str, Value], environment: Mapping[str, str]) -> dict[str, Value]:
    """Return what the SDK's variables and ``wandb login`` say and nothing of ours does.

    All of them are about the server that WANDB_BASE_URL names: where ``url`` is another one, a key of theirs must not
    go there.
    """
    theirs = environment.get("WANDB_BASE_URL", "").rstrip("/")
    url = values["url"].value.rstrip("/") or theirs
    found = {}
    for setting in SETTINGS:
        given = environment.get(setting.sdk_variable)
        if given and values[setting.name].origin == "default" and theirs in {"", url}:
            found[setting.name] = _checked(setting, given, setting.sdk_variable)
    if url and not values["api_key"].value and "api_key" not in found:
        from runyard_agent.netrc_file import key_for, path_of

        if key := key_for(url, environment):
            found["api_key"] = Value(key, f"{path_of(environment)}")
    return found


def default_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where a person's own file is looked for."""
    if environment.get("RUNYARD_CONFIG"):
        return Path(environment["RUNYARD_CONFIG"])
    import platformdirs

    return platformdirs.user_config_path("runyard") / "agent.toml"


def _foreign(setting: Setting) -> list[str]:
    """Return the variables by which the SDK knows the setting: ``x_stats_pid`` is ``WANDB_X_STATS_PID``."""
    return [f"WANDB_{alias.upper()}" for alias in setting.aliases if alias.startswith("x_")]


def _checked(setting: Setting, given: Any, origin: str) -> Value:
    """Return a value of the setting's type, from text or from what TOML gives."""
    try:
        if isinstance(given, list) and all(isinstance(each, str) for each in given):
            return Value(_joined([setting.parse(each) for each in given], setting.default), origin)
        if isinstance(given, str):
            return Value(setting.parse(given), origin)
        return Value(_native(setting, given), origin)
    except (ValueError, TypeError, AttributeError) as error:
        shown_value = "the value" if setting.secret else repr(given)
        raise SettingsError(f"{origin}: {shown_value} can't be used for {setting.name}: {error}") from None


def _joined(parts: list[Any], default: Any) -> Any:
    """Join what a flag that is repeated gave, and the lists of files."""
    if isinstance(default, dict):
        return {name: value for part in parts for name, value in part.items()}
    if any(isinstance(part, dict) for part in parts):
        if len(parts) > 1:
            raise ValueError("an object must be the only value")
        return parts[0]
    return [each for part in parts for each in (part if isinstance(part, list) else [part])]


def _native(setting: Setting, given: Any) -> Any:
    """Check a number, truth value, list or table of a TOML file."""
    if isinstance(setting.default, bool):
        if not isinstance(given, bool):
            raise ValueError("it must be true or false")
        return given
    if isinstance(given, bool):
        raise ValueError("it must not be true or false")
    if isinstance(given, (int, float)):
        return setting.parse(str(given))
    if isinstance(given, dict) and setting.name == "openmetrics_filters":
        return _filters(json.dumps(given))
    if isinstance(given, dict) and isinstance(setting.default, dict):
        return {str(name): str(value) for name, value in given.items()}
    if isinstance(given, list) and isinstance(setting.default, list):
        return [each for part in given for each in setting.parse(str(part))]
    raise ValueError(f"it must be {setting.form}")


def _read(path: Path, *, must_exist: bool) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if must_exist:
            raise SettingsError(f"{path} does not exist") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} can't be read: {error}") from None
    toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        return dict(toml.loads(text))
    except ValueError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
