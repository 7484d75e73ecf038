"""Tests of running an installation: backups, processes, monitoring, a database that is away."""
