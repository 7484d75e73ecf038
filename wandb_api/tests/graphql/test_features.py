"""Which of the features that the newest SDK knows are announced, and why others are not."""

import json
import subprocess

import pytest

from tests import sdks
from wandb_api.graphql.server_features import FEATURES, NOT_HERE

pytestmark = pytest.mark.sdk

_NAMES = """
import json
from wandb.proto.wandb_internal_pb2 import ServerFeature
print(json.dumps(ServerFeature.keys()))
"""


def test_every_feature_that_the_newest_sdk_knows_is_announced_or_left_out_with_a_reason() -> None:
    """What fails here is new in an SDK: announce it once it works, or say in `NOT_HERE` why it does not."""
    python = sdks.python_of(sdks.versions()[-1])
    answer = subprocess.run([python, "-c", _NAMES], check=True, capture_output=True, text=True)
    known = set(json.loads(answer.stdout))
    assert known - FEATURES.keys() - NOT_HERE.keys() == set()
    assert NOT_HERE.keys() - known == set()
    assert FEATURES.keys() & NOT_HERE.keys() == set()
