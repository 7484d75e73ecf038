"""Logged media by key and step: images, tables, histograms, audio and files."""
