"""Hardware of runs: the catalogue of system metrics, and the hosts and GPUs on which runs run."""
