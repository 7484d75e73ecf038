"""Routes of the section of a team's bucket."""

from django.urls import path

from storage.views import team_bucket

app_name = "storage"
_BUCKET = "teams/<str:entity>/bucket"
urlpatterns = [
    path(_BUCKET, team_bucket.section, name="team_bucket"),
    path(f"{_BUCKET}/connect", team_bucket.connect, name="team_bucket_connect"),
    path(f"{_BUCKET}/credentials", team_bucket.credentials, name="team_bucket_credentials"),
    path(f"{_BUCKET}/act", team_bucket.perform, name="team_bucket_act"),
]
