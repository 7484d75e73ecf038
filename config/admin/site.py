"""The operators' admin: its front page, and the page of the whole installation's settings."""

from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse

from access.audit.words import words_of
from access.models import AuditEntry
from access.routes import Open, declare
from access.web.requests import actor_of
from common.errors import DomainError
from config.admin import attention, configuration
from config.admin.sections import in_sections


class OperatorsSite(AdminSite):
    """Stock, but for what its front page tells, and one page more."""

    site_header = site_title = "Runyard"
    index_title = "Overview"
    site_url = "/"

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Add the page of settings."""
        system = declare(Open.OPERATOR)(self.admin_view(self.system))
        return [path("system/", system, name="system"), *super().get_urls()]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """Return what there is by what it is about: which app has it is our business alone."""
        apps = self._build_app_dict(request).values()
        models = {row["model"]._meta.label: row for app in apps for row in app["models"]}
        return list(in_sections(models, reverse("admin:index")))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the section that the page is in, for its breadcrumbs."""
        context = super().each_context(request)
        sections = context["available_apps"]
        here = (one for one in sections if any(row["admin_url"] in request.path for row in one["models"]))
        return {**context, "section": next(here, None)}

    def app_index(
        self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Lead to the front page: apps have none of their own."""
        return redirect("admin:index")

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Lead to the one page that changes passwords."""
        return redirect("account_change_password")

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show what needs somebody, how much there is, and what operators did last."""
        done = [
            (words_of(entry.action), entry) for entry in AuditEntry.objects.filter(user=request.user.pk)[:12]
        ]
        context = {"attention": attention.notices(), "counts": attention.counts(), "done": done}
        return super().index(request, {**(extra_context or {}), **context})

    def system(self, request: HttpRequest) -> HttpResponseBase:
        """Show the effective configuration and the health of all parts; store what may be changed here."""
        # here: forms are read after all apps are ready, and the site is made before
        from accounts.operators.installation_settings import change
        from accounts.sign_in.reauthentication import check
        from config.admin.system_form import InstallationForm

        form = InstallationForm(request.POST or None)
        if form.is_bound and form.is_valid():
            if (reply := check(request)) is not None:
                return reply
            try:
                changed = change(actor=actor_of(request), values=form.values())
            except DomainError as error:
                form.add_error(None, error.message)
            else:
                messages.success(
                    request, f"Changed: {', '.join(changed)}." if changed else "Nothing has changed."
                )
                return redirect("admin:system")
        context = {
            **self.each_context(request),
            "title": "System",
            "form": form,
            **configuration.all_settings(),
        }
        status = 422 if form.errors else 200
        reply_page: HttpResponse = TemplateResponse(request, "admin/system.html", context, status=status)
        return reply_page
