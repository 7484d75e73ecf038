"""The machines on which runs ran, and their GPUs."""
