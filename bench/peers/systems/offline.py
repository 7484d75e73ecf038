"""The SDK without any server: what its client costs at least. Nothing can be read back."""

from bench.peers.system import System, Writer
from bench.peers.systems.runyard import Sdk


class Bench(System):
    """Writes files only."""

    packages = ("wandb",)
    plan = dict.fromkeys(("ingest", "many-runs", "client"), (" sdk",))

    def writer(self, run: str, config: dict[str, str], mode: str, *, hardware: bool) -> Writer:
        return Sdk(str(self.data), run, config, hardware=hardware, mode="offline")
