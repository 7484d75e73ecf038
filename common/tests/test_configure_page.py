"""docs/operate/configure.md describes every variable that is read, and no other."""

import re

from config.env import ROOT

READ = re.compile(r'env(?:\.\w+)?\(\s*"(RUNYARD_[A-Z0-9_]+)"')
OF_THE_SUITE = "RUNYARD_TEST_"
ANY = re.compile(r"RUNYARD_[A-Z0-9_]+[A-Z0-9]")


def test_the_page_and_the_settings_name_the_same_variables():
    sources = [path.read_text() for path in (ROOT / "config").rglob("*.py")]
    read = {name for source in sources for name in READ.findall(source)}
    page = (ROOT / "docs" / "operate" / "configure.md").read_text()
    described = set(re.findall(r"^\| `(RUNYARD_[A-Z0-9_]+)`", page, re.MULTILINE))
    assert read - described == set(), "read in config/ but not described"
    assert described - read == set(), "described but never read"


def test_documents_name_only_variables_that_exist():
    sources = [path.read_text() for path in (ROOT / "config").rglob("*.py")]
    read = {name for source in sources for name in READ.findall(source)}
    pages = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")} - {
        ROOT / "docs" / "use" / "agent.md"
    }  # its own
    named = {name: page.name for page in pages for name in ANY.findall(page.read_text())}
    unknown = {
        name: page
        for name, page in named.items()
        if name.removesuffix("_FILE") not in read and not name.startswith(OF_THE_SUITE)
    }
    assert unknown == {}
