"""Plans, limits and payment (docs/operate/billing.md)."""

from config.env import env

ENFORCE_LIMITS = env.bool("RUNYARD_ENFORCE_LIMITS", default=False)
"""Off: limits of plans are shown. On: what goes beyond them is refused, except metrics."""
BILLING_GRACE_H = env.int("RUNYARD_BILLING_GRACE_H", default=6)
"""How long after its end a period is closed, so that late heartbeats and crashes are in it."""

STRIPE_SECRET_KEY = env.str("RUNYARD_STRIPE_SECRET_KEY", default="")
"""Empty: invoices are paid by bank transfer."""
STRIPE_PUBLISHABLE_KEY = env.str("RUNYARD_STRIPE_PUBLISHABLE_KEY", default="")
STRIPE_WEBHOOK_SECRET = env.str("RUNYARD_STRIPE_WEBHOOK_SECRET", default="")
STRIPE_API_URL = env.str("RUNYARD_STRIPE_API_URL", default="https://api.stripe.com").rstrip("/")
STRIPE_JS_URL = env.str("RUNYARD_STRIPE_JS_URL", default="https://js.stripe.com/v3/")

BILLING_SELLER = env.str("RUNYARD_BILLING_SELLER", default="")
"""Name and address of who sells, on invoices; lines are separated by "\\n"."""
BILLING_BANK_DETAILS = env.str("RUNYARD_BILLING_BANK_DETAILS", default="")
"""Where bank transfers go, on invoices and pages."""
SALES_CONTACT = env.str("RUNYARD_SALES_CONTACT", default="")
"""Address or page of who sells; empty: the support contact."""
