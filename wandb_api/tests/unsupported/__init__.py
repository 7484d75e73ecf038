"""Tests of what the SDK is told of features that there are not."""
