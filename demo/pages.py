"""Every page as the demo fills it: pictures are made of them, and accessibility is checked on them."""

PAGES = {
    "home": "/",
    "search": "/search?q=a",
    "entity": "/vision",
    "overview": "/vision/cifar-sweep/overview",
    "workspace": "/vision/cifar-sweep",
    "runs": "/vision/cifar-sweep/runs",
    "deleted": "/vision/cifar-sweep/deleted",
    "compare": "/vision/cifar-sweep/compare?runs=sweep001&runs=sweep002&runs=sweep003",
    "run": "/vision/cifar-sweep/runs/sweep004",
    "run-system": "/vision/cifar-sweep/runs/sweep004/system",
    "run-overview": "/vision/cifar-sweep/runs/sweep004/overview",
    "run-logs": "/vision/cifar-sweep/runs/sweep004/logs",
    "run-media": "/vision/diffusion/runs/diffusion1/media",
    "run-failed": "/vision/cifar-sweep/runs/sweep015/overview",
    "run-files": "/vision/cifar-sweep/runs/sweep004/files",
    "api-keys": "/settings/api-keys",
    "email": "/accounts/email/",
    "password": "/accounts/password/change/",
}
"""Name to path; the viewer is ada."""

EMPTY = {
    "empty-project": "/ada/nothing-here/overview",
    "empty-workspace": "/ada/nothing-here",
    "empty-runs": "/ada/nothing-here/runs",
    "empty-deleted": "/ada/nothing-here/deleted",
    "empty-compare": "/ada/nothing-here/compare",
}
"""Pages of a project without a run."""

PUBLIC = {"login": "/accounts/login/", "signup": "/accounts/signup/", "reset": "/accounts/password/reset/"}
"""Pages of whoever has not signed in."""
