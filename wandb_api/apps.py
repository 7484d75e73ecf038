from django.apps import AppConfig


class WandbApiConfig(AppConfig):
    name = "wandb_api"
