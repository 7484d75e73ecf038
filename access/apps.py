from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "access"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from access.audit.values import Field, Text, register_fields, show_time
        from access.audit.words import kinds, register_words, words_to_choose

        register_words("operator", _("Operators"), {"operator.elevated": _("Used an operator’s rights")})
        register_words("audit", _("Audit log"), {"audit.export": _("Exported the audit log")})
        register_fields({"operation": _("Operation")}, scope="operator.elevated")
        filters: dict[str, Field | Text] = {
            "form": Field(_("Format"), choices={"csv": "CSV", "ndjson": _("JSON lines")}), "person": _("Username"),
            "action": Field(_("Action"), choices=words_to_choose), "kind": Field(_("Object type"), choices=kinds),
            "team": _("Team"), "address": _("IP address"), "text": _("Search"),
            "since": Field(_("From"), show=show_time), "until": Field(_("Until"), show=show_time),
        }  # fmt: skip
        register_fields(filters, scope="audit.export")
