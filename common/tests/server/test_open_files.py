"""What `manage.py serve` does about the limit on open files, in a process of its own."""

import subprocess
import sys

import pytest

from config.env import ROOT

CODE = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from common.server.supervisor import raise_open_files
told = raise_open_files()
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], told)
"""


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "told"), [(256, 5000, 5000, False), (256, 1000, 1000, True)]
)
def test_the_soft_limit_is_raised_to_the_hard_one_and_a_low_one_is_told(soft, hard, raised, told):
    code = CODE.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    limit, _, advice = done.stdout.strip().partition(" ")
    assert int(limit) == raised
    assert ("LimitNOFILE" in advice) == told
