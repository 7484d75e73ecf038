"""Links to the code of a run, where its git remote is a host whose pages we know."""

import re

_COMMIT = {
    "github.com": "commit", "gitlab.com": "-/commit", "bitbucket.org": "commits", "codeberg.org": "commit",
    "huggingface.co": "commit", "gitee.com": "commit", "git.sr.ht": "commit",
}  # fmt: skip
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://)?(?:[^@/\s]{1,200}@)?([\w.-]{1,100})(?::\d{1,5}(?=/))?[:/]([\w.~/-]{1,300}?)(?:\.git)?/?"
)


def repository_url(remote: str) -> str:
    """Return the page of a remote (without credentials that are in it), "" for hosts we do not know."""
    match = _REMOTE.fullmatch(remote.strip())
    if match is None or match[1].lower() not in _COMMIT:
        return ""
    return f"https://{match[1].lower()}/{match[2].lstrip('/')}"


def commit_url(remote: str, commit: str) -> str:
    """Return the page of a commit, "" where there is none."""
    repository = repository_url(remote)
    if not repository or not re.fullmatch(r"[0-9a-fA-F]{7,64}", commit):
        return ""
    return f"{repository}/{_COMMIT[repository.split('/')[2]]}/{commit}"
