"""Actions of operators in the admin: one row, one page that says what follows, one call of a service (TEAM-21).

Rows are only looked at; whatever changes them is an `AdminAction` of their `ServedAdmin`, so that permission, guards
and the audit log are those of everybody. A dangerous act asks for the password again first.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode

from access.actor import Actor
from access.engine import has_operator_rights
from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.sign_in.reauthentication import check
from common.admin import ReadOnlyMixin
from common.errors import DomainError

M = TypeVar("M", bound=Model)


class AdminActionForm(forms.Form):
    """What an act asks for; ``row`` is what it is done to, None where something is created."""

    def __init__(self, *args: Any, row: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.row = row
        self.prepare()

    def prepare(self) -> None:
        """Fill in what there is, and choices that depend on the row."""

    def preview(self) -> dict[str, Any]:
        """Return what the page shows of the consequences, once the form is valid."""
        return {}


@dataclass(frozen=True, slots=True)
class ActionContext(Generic[M]):
    """An act under way: who does it to what, and what they typed."""

    request: HttpRequest
    row: M
    typed: dict[str, Any]

    @property
    def actor(self) -> Actor:
        """The operator."""
        return actor_of(self.request)


Reply = str | HttpResponseBase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminAction(Generic[M]):
    """Something that a service does."""

    slug: str
    label: str
    """On buttons and in lists, an imperative."""
    do: Callable[["ActionContext[M]"], Reply]
    """Calls the service; returns what to tell, or where to go."""
    text: str = ""
    """What follows from it."""
    form: type[AdminActionForm] = AdminActionForm
    fits: Callable[[M], bool] = lambda row: True
    """Whether the act makes sense for the row as it is; the service decides what is allowed."""
    is_dangerous: bool = False
    in_bulk: bool = False
    """Whether the list offers it for many rows."""
    has_preview: bool = False
    """Whether the page shows what would happen before it is done."""


class AuditedAdmin(admin.ModelAdmin[M]):
    """Rows whose history is in the audit log, with what was before."""

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Lead to the audit log, where everything is that was done to the row."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        about = urlencode({"object_type": self.opts.label, "object_id": object_id})
        return redirect(reverse("admin:access_auditentry_changelist") + "?" + about)


class ServedAdmin(ReadOnlyMixin, AuditedAdmin[M]):
    """Rows that are looked at here and changed by services alone."""

    acts: ClassVar[tuple[AdminAction[Any], ...]] = ()
    creation: ClassVar[AdminAction[Any] | None] = None
    related: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Lists that belong to a row: label, ``app_model``, and the lookup that the row's key is put into."""
    change_form_template = "admin/served_change_form.html"
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        """Read with each row, in lists and alone, what names it."""
        rows, related = super().get_queryset(request), self.list_select_related
        return rows.select_related(*related) if isinstance(related, list) else rows

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only where a service creates rows."""
        return self.creation is not None and has_operator_rights(actor_of(request))

    def get_urls(self) -> list[URLPattern]:
        """Add the page of acts."""
        if not self.acts:
            return super().get_urls()
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        view = declare(Open.OPERATOR)(self.admin_site.admin_view(self.act_view))
        return [path("<path:object_id>/do/<slug:slug>/", view, name=name), *super().get_urls()]

    def get_actions(self, request: HttpRequest) -> Any:
        """Offer acts that make sense for many rows."""
        offered = {act.slug: (_in_bulk(act), act.slug, act.label) for act in self.acts if act.in_bulk}
        return {**super().get_actions(request), **offered} if self.has_view_permission(request) else {}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show a row with the acts that fit it and the lists that belong to it."""
        row = self.get_object(request, object_id)
        shown = {} if row is None else {"acts": list(self._offered(row)), "related": list(self._related(row))}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def _offered(self, row: M) -> Iterable[tuple[AdminAction[M], str]]:
        """Yield the acts that make sense for a row as it is, and their pages."""
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_act"
        for act in self.acts:
            if act.fits(row):
                yield act, reverse(name, args=[row.pk, act.slug])

    def _related(self, row: M) -> Iterable[tuple[str, str]]:
        for label, model, lookup in self.related:
            yield label, reverse(f"admin:{model}_changelist") + "?" + urlencode({lookup: row.pk})

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create a row by its service."""
        if self.creation is None:
            raise PermissionDenied
        page: HttpResponse = self._page(request, self.creation, None)
        return page

    def act_view(self, request: HttpRequest, object_id: str, slug: str) -> HttpResponseBase:
        """Say what an act does, take what it asks for, and do it."""
        row = self.get_object(request, object_id)
        act = next((act for act in self.acts if act.slug == slug), None)
        if row is None or act is None:
            raise Http404
        if act.is_dangerous and (reply := check(request)) is not None:
            return reply
        page: HttpResponseBase = self._page(request, act, row)
        return page

    def _page(self, request: HttpRequest, act: AdminAction[M], row: M | None) -> Any:
        form = act.form(request.POST if request.method == "POST" else None, row=row)
        preview = {}
        if form.is_bound and form.is_valid():
            if act.has_preview and "confirmed" not in request.POST:
                preview = form.preview()
            elif (reply := self._do(request, act, row, form)) is not None:
                return reply
        context = {
            **self.admin_site.each_context(request), "title": act.label, "act": act, "row": row, "form": form,
            "opts": self.opts, "preview": preview, "media": self.media + form.media,
        }  # fmt: skip
        return TemplateResponse(request, "admin/act.html", context, status=422 if form.errors else 200)

    def _do(
        self, request: HttpRequest, act: AdminAction[M], row: Any, form: AdminActionForm
    ) -> HttpResponseBase | None:
        """Do it and leave the page, or say on it why not."""
        try:
            reply = act.do(ActionContext(request, row, form.cleaned_data))
        except DomainError as error:
            form.add_error(None, error.message)
            return None
        if isinstance(reply, HttpResponseBase):
            return reply
        messages.success(request, reply or f"{act.label}: done.")
        return redirect(self._after(row))

    def _after(self, row: Any) -> str:
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        is_there = row is not None and self.model._default_manager.filter(pk=row.pk).exists()
        return reverse(f"{name}_change", args=[row.pk]) if is_there else reverse(f"{name}_changelist")


def _in_bulk(act: AdminAction[Any]) -> Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponseBase | None]:
    """Return the function of a list's action: the same act for each row, one refusal stops no other."""

    def run(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponseBase | None:
        if act.is_dangerous and (reply := check(request)) is not None:
            return reply
        count = 0
        for row in queryset:
            try:
                if act.fits(row):
                    act.do(ActionContext(request, row, {}))
                    count += 1
            except DomainError as error:
                messages.warning(request, f"{row}: {error.message}")
        messages.success(request, f"{act.label}: {count} done.")
        return None

    return run
