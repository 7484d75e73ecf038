"""AGT-4: settings by flag, environment and file."""

from __future__ import annotations

import pytest

from runyard_agent.settings import SETTINGS, SettingsError, load, shown


@pytest.fixture
def file(tmp_path):
    def make(text: str) -> str:
        path = tmp_path / "agent.toml"
        path.write_text(text)
        return str(path)

    return make


def origins(settings):
    return {setting.name: value for setting, value in settings.items()}


def test_a_flag_wins_over_the_environment_and_that_over_the_file(file):
    """AGT-4: each value tells where it came from."""
    path = file('interval = 5\nlabel = "file"\nurl = "http://file"\n')
    settings = load(
        {"url": "http://flag"}, file=path, environment={"RUNYARD_LABEL": "env", "RUNYARD_URL": "http://env"}
    )
    found = origins(settings)
    assert found["interval"] == (5.0, f"{path} (interval)")
    assert found["label"] == ("env", "RUNYARD_LABEL")
    assert found["url"] == ("http://flag", "--url")
    assert found["tool_timeout"] == (5.0, "default")
    assert settings.url == "http://flag"


def test_every_kind_of_value_in_a_file(file):
    """AGT-4: TOML has types of its own."""
    settings = load(
        file=file(
            "pid = 7\nper_core = true\ngpus = [0, 2]\ndisk_paths = ['/', '/mnt/data']\n"
            "[openmetrics]\ndcgm = 'http://host:9400/metrics'\n[openmetrics_filters.requests]\ncode = '^2'\n"
        ),
        environment={},
    )
    assert (settings.pid, settings.per_core, settings.gpus) == (7, True, [0, 2])
    assert settings.disk_paths == ["/", "/mnt/data"]
    assert settings.openmetrics == {"dcgm": "http://host:9400/metrics"}
    assert settings.openmetrics_filters == {"requests": {"code": "^2"}}


def test_every_kind_of_value_in_the_environment():
    """AGT-4: text has none."""
    settings = load(
        environment={
            "RUNYARD_PER_CORE": "yes",
            "RUNYARD_GPUS": "0,2",
            "RUNYARD_OPENMETRICS": "a=http://h/m?x=1, b=http://h",
            "RUNYARD_OPENMETRICS_FILTERS": '{"x": {"code": "^2"}}',
            "RUNYARD_CONFIG": "/nonexistent",
        }
    )
    assert settings.per_core is True
    assert settings.gpus == [0, 2]
    assert settings.openmetrics == {"a": "http://h/m?x=1", "b": "http://h"}
    assert settings.openmetrics_filters == {"x": {"code": "^2"}}


def test_a_flag_may_be_given_again():
    """AGT-4: lists and maps add up."""
    flags = {
        "disk_paths": ["/", "/mnt"],
        "openmetrics": ["a=http://a", "b=http://b"],
        "openmetrics_filters": ["x", "y{1,2}"],
    }
    settings = load(flags, environment={"RUNYARD_CONFIG": "/nonexistent"})
    assert settings.disk_paths == ["/", "/mnt"]
    assert settings.openmetrics == {"a": "http://a", "b": "http://b"}
    assert settings.openmetrics_filters == ["x", "y{1,2}"]


@pytest.mark.parametrize("key", ["x_stats_disk_paths", "_stats_disk_paths", "disk_paths"])
def test_the_sdks_names_are_understood(file, key):
    """AGT-4: hardware.md, setting renames."""
    assert load(file=file(f"{key} = ['/mnt']\n"), environment={}).disk_paths == ["/mnt"]


def test_the_sdks_variables_are_understood():
    """AGT-4: hardware.md section 10."""
    environment = {"WANDB_X_STATS_SAMPLING_INTERVAL": "3", "RUNYARD_CONFIG": "/nonexistent"}
    assert load(environment=environment).interval == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("interval = 0", "interval.*more than 0"),
        ("interval = 'soon'", "'soon' can't be used for interval"),
        ("per_core = 1", "true or false"),
        ("pid = true", "true or false"),
        ("gpus = 3\nintervall = 4", "unknown settings: intervall"),
        ("interval =", "is not valid TOML"),
        ("openmetrics_filters = ['a(']", "is not a regular expression"),
        ("openmetrics = 'nothing'", "name=value"),
        ("amd_source = 'magic'", "one of"),
        ("disk_paths = {a = 1}", "must be PATH"),
    ],
)
def test_what_can_not_be_used_is_named_with_its_place(file, text, message):
    """AGT-4: no stack traces for user errors."""
    with pytest.raises(SettingsError, match=message):
        load(file=file(text), environment={})


def test_a_file_that_is_asked_for_must_exist():
    """AGT-4: a person's own file may be missing, one named may not."""
    with pytest.raises(SettingsError, match="does not exist"):
        load(file="/nonexistent.toml", environment={})


def test_secrets_are_masked_and_not_quoted_in_errors(file):
    """AGT-4: config shows secrets masked."""
    settings = load(
        environment={
            "RUNYARD_API_KEY": "ry-secret",
            "RUNYARD_OPENMETRICS_HEADERS": "Authorization=Bearer x",
            "RUNYARD_CONFIG": "/no",
        }
    )
    seen = {setting.name: shown(setting, value) for setting, (value, _) in settings.items()}
    assert seen["api_key"] == "********"
    assert seen["openmetrics_headers"] == {"Authorization": "********"}
    with pytest.raises(SettingsError) as caught:
        load(file=file("openmetrics_headers = 'hunter2'"), environment={})
    assert "hunter2" not in str(caught.value)


def test_settings_are_declared_once_each():
    """AGT-4: no two settings share a name."""
    names = [name for setting in SETTINGS for name in (setting.name, *setting.aliases)]
    assert len(names) == len(set(names))
