"""The processes of an installation: their supervisor, the HTTP protocol, Redis, static files, health."""
