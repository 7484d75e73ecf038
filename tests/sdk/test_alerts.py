"""`run.alert()` of every release: what it says arrives, is kept, and becomes an event (ALR-1)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import Person

pytestmark = pytest.mark.sdk

KEPT = """
import json
from alerts.models import Event
from runs.models import RunAlert
where = {"run__project__name": %r, "run__uid": "alerts"}
kept = RunAlert.objects.filter(is_sent=True, **where).order_by("pk").values_list("title", "text", "level")
events = Event.objects.filter(kind="run_alert", **where).count()
print(json.dumps({"kept": list(kept), "events": events}))
"""


@pytest.mark.parametrize("version", sdks.newest())
def test_titles_texts_levels_and_waits_arrive(
    version: str, server: Installation, ada: Person, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    """The same title is not repeated within its time: a minute unless told otherwise, for 0 too, says every SDK."""
    project = f"alerts-{version}"
    env = {**ada.env, "WANDB_PROJECT": project, "WANDB_SILENT": "true", "WANDB_X_DISABLE_STATS": "true"}
    sdks.run_script(
        sdk(version), (Path(__file__).with_name("scenarios") / "alerts.py").read_text(), env=env, cwd=tmp_path
    )
    found = server.manage("shell", "--no-imports", "-c", KEPT % project)
    assert sorted(found["kept"]) == [
        ["a minute", "by default", "WARN"],
        ["an hour", "as told", "INFO"],
        ["hardly any", "again", "ERROR"],
        ["hardly any", "first ü\nsecond line", "ERROR"],
        ["seconds", "as told", "INFO"],
    ]
    assert found["events"] == len(found["kept"])
