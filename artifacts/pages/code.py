"""Code to copy that uses a version."""

from artifacts.models import Membership
from artifacts.pages.addresses import path_of


def usage_code(place: Membership) -> str:
    """Return Python that downloads a version in a run, which then counts as one that used it."""
    path, kind = path_of(place), place.collection.type.name
    return (
        "import wandb\n\n"
        "with wandb.init() as run:\n"
        f'    artifact = run.use_artifact("{path}", type="{kind}")\n'
        "    folder = artifact.download()\n"
    )


def api_code(place: Membership) -> str:
    """Return Python that downloads a version outside of a run."""
    return f'import wandb\n\nfolder = wandb.Api().artifact("{path_of(place)}").download()\n'


def first_code() -> str:
    """Return Python that logs a first artifact."""
    return (
        "import wandb\n\n"
        'with wandb.init(project="my-project") as run:\n'
        '    artifact = wandb.Artifact("my-dataset", type="dataset")\n'
        '    artifact.add_dir("data")\n'
        "    run.log_artifact(artifact)\n"
    )
