"""Routes of people's own pages."""

from django.urls import path

from accounts.views import acting, base, deletion, keys, outbox, preferences, profile, security

app_name = "accounts"
urlpatterns = [
    path("search", base.search, name="search"),
    path("authorize", keys.authorize, name="authorize"),
    path("settings/api-keys", keys.api_keys, name="api_keys"),
    path("settings/api-keys/delete", keys.api_keys_delete, name="api_keys_delete"),
    path("settings/api-keys/<int:pk>", keys.api_key, name="api_key"),
    path("settings/api-keys/<int:pk>/limit", keys.api_key_limit, name="api_key_limit"),
    path("settings/delete", deletion.delete, name="delete"),
    path("settings", profile.settings_home, name="settings"),
    path("settings/profile", profile.profile, name="profile"),
    path("settings/profile/picture", profile.profile_picture, name="profile_picture"),
    path("settings/profile/intro", profile.profile_intro, name="profile_intro"),
    path("pictures/external", profile.shown_picture, name="external_picture"),
    path("pictures/<str:name>/<str:digest>", profile.picture, name="picture"),
    path("settings/beta", preferences.beta, name="beta"),
    path("settings/code", preferences.code_saving, name="code_saving"),
    path("settings/profile/audience", preferences.audience, name="audience"),
    path("settings/theme", preferences.theme, name="theme"),
    path("settings/language/visitor", preferences.visitor_language, name="visitor_language"),
    path("settings/language", preferences.language, name="language"),
    path("settings/emails", security.emails, name="emails"),
    path("settings/github", security.github, name="github"),
    path("settings/security", security.security_page, name="security"),
    path("settings/security/sessions/end", security.sessions_end, name="sessions_end"),
    path("settings/security/sessions/<int:pk>/end", security.session_end, name="session_end"),
    path("settings/security/methods/<int:pk>/end", security.connection_end, name="connection_end"),
    path("accounts/continue/<slug:slug>", security.continue_with, name="continue_with"),
    path("settings/security/confirm", acting.confirm, name="confirm"),
    path("settings/acting/stop", acting.stop_acting, name="stop_acting"),
    path("outbox", outbox.mails, name="outbox"),
    path("outbox/<int:pk>", outbox.mail, name="outbox_mail"),
    path("outbox/<int:pk>/body", outbox.mail_body, name="outbox_body"),
]
