"""Profiles of people, teams and organizations: texts, links and pictures."""
