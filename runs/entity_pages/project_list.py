"""The projects on the page of a person, team or organization: found by words, a page at a time."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from common.formats.numbers import parse_int
from runs.models import Project
from runs.projects.run_counts import CountedProject, counted

PAGE = 50
_MOST_PAGES = 10**6


@dataclass(frozen=True, slots=True)
class ProjectFilter:
    """Which projects to list: words that their names have, and the page."""

    text: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "ProjectFilter":
        """Read a query string; what makes no sense is left out."""
        return cls(
            text=query.get("q", "").replace("\x00", "").strip()[:200],
            page=parse_int(query.get("page", ""), _MOST_PAGES) or 1,
        )


@dataclass(frozen=True, slots=True)
class ProjectList:
    """One page of those that were found."""

    wanted: ProjectFilter
    page: "Page[Project]"
    rows: list[CountedProject]

    @property
    def found(self) -> int:
        """How many match, on all pages."""
        return self.page.paginator.count

    @property
    def can_search(self) -> bool:
        """Whether there are more than one page shows, or words narrowed them."""
        return bool(self.wanted.text) or self.page.has_other_pages()


def project_list(projects: QuerySet[Project], wanted: ProjectFilter) -> ProjectList:
    """Return a page of projects, which are in order, with the counts of their runs."""
    for word in wanted.text.split():
        projects = projects.filter(name__icontains=word)
    page = Paginator(projects, PAGE).get_page(wanted.page)
    return ProjectList(wanted, page, counted(list(page)))
