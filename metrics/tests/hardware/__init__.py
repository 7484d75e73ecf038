"""Tests of system metrics, hosts and GPUs."""
