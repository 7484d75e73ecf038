"""Addresses of the REST API: with or without a slash at the end, since a redirect would lose what is posted."""

from rest_framework.routers import SimpleRouter


class Router(SimpleRouter):
    """A router whose addresses end as the client writes them."""

    def __init__(self) -> None:
        super().__init__()
        self.trailing_slash = "/?"
