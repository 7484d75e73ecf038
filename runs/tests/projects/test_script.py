"""The script that the first page shows."""

from config.env import ROOT
from runs.projects.quickstart import script_for


def test_readme_shows_the_script_of_the_first_page():
    """Or a newcomer who reads both wonders which of them is right."""
    assert f"```python\n{script_for(project='my-first-project')}```" in (ROOT / "README.md").read_text()
