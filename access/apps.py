from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "access"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from access.audit_words import register_words

        register_words("operator", _("Operators"), {"operator.elevated": _("Used an operator’s rights")})
        register_words("audit", _("Audit log"), {"audit.export": _("Exported the audit log")})
