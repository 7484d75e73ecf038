"""Where the server itself may send requests, and Slack."""

from config.env import env

ALLOWED_NETWORKS = [network.strip() for network in env.list("RUNYARD_ALLOWED_NETWORKS", default=[])]
"""Networks besides the public one that webhooks and buckets of teams may reach."""
SLACK_HOSTS = frozenset(host.strip().lower() for host in env.list("RUNYARD_SLACK_HOSTS", default=[]))
"""Hosts of servers that take messages as Slack does, wherever they are; Slack's own need no entry."""
SLACK_URL = env.str("RUNYARD_SLACK_URL", default="https://slack.com").rstrip("/")
"""Where people connect a channel, and Slack's API is."""
SLACK_CLIENT_ID = env.str("RUNYARD_SLACK_CLIENT_ID", default="")
SLACK_CLIENT_SECRET = env.str("RUNYARD_SLACK_CLIENT_SECRET", default="")
