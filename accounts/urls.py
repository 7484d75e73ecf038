"""Routes of people's own pages."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("search", views.search, name="search"),
    path("authorize", views.authorize, name="authorize"),
    path("settings/api-keys", views.api_keys, name="api_keys"),
    path("settings/api-keys/<int:pk>/delete", views.api_key_delete, name="api_key_delete"),
]
