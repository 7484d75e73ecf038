"""The REST API of people, organizations and teams."""
