"""Who a user is and how people sign in (django-allauth)."""

from typing import Any

from config.env import env

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backends.SessionBackend"]
API_KEY_CHECKER = "accounts.api_keys.secrets.actor_of_secret"
"""Takes a secret and the caller's address; returns the actor or raises `Unauthenticated` (`access.callers`)."""
ACTOR_FINDER = "accounts.api_keys.secrets.actor_again"
"""Takes a user's id and that of their API key, or None; returns the actor or raises `Unauthenticated`."""
INSTALLATION_SETTINGS_READER = "accounts.operators.installation_settings.stored"
"""Returns by name what operators have set (`common.installation_settings`)."""
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
SESSION_ENGINE = "accounts.credentials.sessions"
SESSION_COOKIE_AGE = env.int("RUNYARD_SESSION_LENGTH_H", default=720) * 3600

INVITATION_DAYS = env.int("RUNYARD_INVITATION_DAYS", default=14)
_before = env.bool(
    "RUNYARD_SIGNUP_OPEN", default=True
)  # its former name; who closed sign-up must find it closed
SIGNUP = env.str("RUNYARD_SIGNUP", default="open" if _before else "invitation")
SIGNUP_DOMAINS = [domain.strip().lower() for domain in env.list("RUNYARD_SIGNUP_DOMAINS", default=[])]
SUPPORT_CONTACT = env.str("RUNYARD_SUPPORT_CONTACT", default="")

ACCOUNT_ADAPTER = "accounts.sign_in.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "accounts.sign_in.forms.SignInForm",
    "signup": "accounts.sign_in.forms.SignUpForm",
    "change_password": "accounts.sign_in.forms.PasswordChangeForm",
    "set_password": "accounts.sign_in.forms.FirstPasswordForm",
    "reset_password": "accounts.sign_in.forms.PasswordResetForm",
    "reset_password_from_key": "accounts.sign_in.forms.PasswordFromLinkForm",
}
ACCOUNT_MAX_EMAIL_ADDRESSES = 50
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_PREVENT_ENUMERATION = True
# Where mail arrives, an address is proven before it opens anything, and sign-up answers alike for known addresses.
# Where none is sent (no mail server), nobody could prove one, so people come in at once; sign-up then has to say that
# an address is taken (docs/operate/sign-in.md).
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if env.str("RUNYARD_EMAIL_URL", default="") else "optional"
ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS = 3
# Only in the browser that signed up, whose session knows of it; elsewhere a link signs nobody in.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_LOGIN_TIMEOUT = 3600  # a mail may take a while; 15 minutes is allauth's own
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = SIGNUP == "open"  # that mail invites to sign up
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = max(1, env.int("RUNYARD_REAUTHENTICATION_M", default=10)) * 60
OPERATORS_NEED_MFA = env.bool("RUNYARD_OPERATORS_NEED_MFA", default=False)
ACCOUNT_PRESERVE_USERNAME_CASING = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USER_DISPLAY = "accounts.models.display_name_of"

SOCIALACCOUNT_ADAPTER = "accounts.sign_in.sso.SocialAdapter"
SOCIALACCOUNT_FORMS = {"signup": "accounts.sign_in.forms.SocialSignUpForm"}
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_QUERY_EMAIL = True
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10

MFA_ADAPTER = "accounts.sign_in.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Runyard"
MFA_TOTP_TOLERANCE = 1  # clocks of telephones are not exact
MFA_ALLOW_UNVERIFIED_EMAIL = True  # or nobody with a second factor could add an address

_github_url = env.str("RUNYARD_GITHUB_URL", default="").rstrip("/")
SOCIALACCOUNT_PROVIDERS = {"github": {"GITHUB_URL": _github_url}} if _github_url else {}


def _providers() -> list[dict[str, Any]]:
    """Return the sign-in providers of the environment; more are kept in the admin."""
    given: list[dict[str, Any]] = []
    if client := env.str("RUNYARD_OIDC_CLIENT_ID", default=""):
        given.append(
            {
                "kind": "oidc",
                "slug": "oidc",
                "name": env.str("RUNYARD_OIDC_NAME", default="single sign-on"),
                "issuer": env.str("RUNYARD_OIDC_ISSUER", default=""),
                "client_id": client,
                "secret": env.str("RUNYARD_OIDC_SECRET", default=""),
                "email_domains": env.str("RUNYARD_OIDC_DOMAINS", default=""),
                "groups_claim": env.str("RUNYARD_OIDC_GROUPS_CLAIM", default=""),
                "makes_accounts": env.bool("RUNYARD_OIDC_MAKES_ACCOUNTS", default=True),
            }
        )
    if client := env.str("RUNYARD_GITHUB_CLIENT_ID", default=""):
        secret = env.str("RUNYARD_GITHUB_SECRET", default="")
        given.append(
            {"kind": "github", "slug": "github", "name": "GitHub", "client_id": client, "secret": secret}
        )
    return given


SIGN_IN_PROVIDERS = _providers()
