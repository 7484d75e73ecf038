"""Addresses of the REST API: with or without a slash at the end, since a redirect would lose what is posted."""

from rest_framework.routers import SimpleRouter


class Router(SimpleRouter):
    """A router whose addresses end as the client writes them."""

    def __init__(self) -> None:
        super().__init__()
        self.trailing_slash = "/?"
        # "$" would leave out a newline at the end of a name
        self.routes = [route._replace(url=route.url.replace("$", r"\Z")) for route in self.routes]
