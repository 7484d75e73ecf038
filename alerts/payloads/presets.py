"""Payloads of webhooks for services that many people use (wish 81), each as a template to start from."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from alerts.models import Destination
from alerts.payloads.templating import names_in

Text = str | Promise


def _whole_address(url: str) -> tuple[str, dict[str, str]]:
    return url, {}


def _without_topic(url: str) -> tuple[str, dict[str, str]]:
    """Take the topic off an address of ntfy, which wants it in the body."""
    parts = urlsplit(url)
    before, _slash, topic = parts.path.rstrip("/").rpartition("/")
    return urlunsplit((parts.scheme, parts.netloc, before + "/", "", "")), {"topic": topic}


def _no_refusal(_content: bytes) -> str:
    return ""


def _feishu_refusal(content: bytes) -> str:
    """Read what Feishu answers with status 200, whatever became of the message."""
    try:
        answer = json.loads(content)
        code = answer.get("code") or answer.get("StatusCode") or 0
        message = answer.get("msg") or answer.get("StatusMessage") or ""
    except (ValueError, AttributeError, RecursionError):
        return ""
    return f"{code}: {message}" if code else ""


@dataclass(frozen=True, slots=True)
class Preset:
    """How a service takes messages."""

    label: Text
    hint: Text
    """How to get an address, and what the payload needs."""
    example: str
    """What its addresses look like."""
    template: str
    docs: str = ""
    """Where the service describes its format."""
    split: Callable[[str], tuple[str, dict[str, str]]] = _whole_address
    """Makes of the address the one to send to, and values for the payload."""
    refusal: Callable[[bytes], str] = _no_refusal
    """Reads why an answer of status 2xx is none; "" if it is one."""


_GENERIC = """{
  "event": "${event_type}",
  "title": "${title}",
  "text": "${text}",
  "runs": ${runs},
  "run_count": ${run_count},
  "level": "${level}",
  "url": "${url}",
  "entity": "${entity_name}",
  "project": "${project_name}",
  "run": {"id": "${run_id}", "name": "${run_name}", "url": "${run_url}", "state": "${run_state}"},
  "metric": {"name": "${metric_name}", "value": ${metric_value}, "threshold": ${threshold}},
  "values": ${fields},
  "delivery": "${delivery}"
}"""
_TEAMS = """{
  "type": "message",
  "attachments": [
    {
      "contentType": "application/vnd.microsoft.card.adaptive",
      "contentUrl": null,
      "content": {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
          {
            "type": "Container",
            "style": "${card_style}",
            "bleed": true,
            "items": [
              {"type": "TextBlock", "text": "${title}", "weight": "Bolder", "size": "Medium", "wrap": true}
            ]
          },
          {"type": "Container", "items": ${card_items}}
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": "${url}"}]
      }
    }
  ]
}"""
_DISCORD = """{
  "username": "Runyard",
  "allowed_mentions": {"parse": []},
  "embeds": [
    {
      "title": "${title}",
      "url": "${url}",
      "description": "${text}",
      "color": ${color_number},
      "fields": ${embed_fields}
    }
  ]
}"""
_NTFY = """{
  "topic": "${topic}",
  "title": "${title}",
  "message": "${body}",
  "priority": ${priority},
  "click": "${url}"
}"""
_PAGERDUTY = """{
  "routing_key": "${PAGERDUTY_ROUTING_KEY}",
  "event_action": "trigger",
  "dedup_key": "${delivery}",
  "payload": {
    "summary": "${title}",
    "source": "${entity_name}/${project_name}",
    "severity": "${severity}",
    "component": "${run_name}",
    "custom_details": {"text": "${text}", "values": ${fields}, "runs": ${runs}, "run_count": ${run_count}}
  },
  "links": [{"href": "${url}", "text": "Open in Runyard"}]
}"""
_FEISHU = """{
  "msg_type": "interactive",
  "card": {
    "config": {"wide_screen_mode": true},
    "header": {"template": "${color_name}", "title": {"tag": "plain_text", "content": "${title}"}},
    "elements": [
      {"tag": "div", "text": {"tag": "plain_text", "content": "${body}"}},
      {
        "tag": "action",
        "actions": [
          {
            "tag": "button",
            "type": "primary",
            "url": "${url}",
            "text": {"tag": "plain_text", "content": "Open"}
          }
        ]
      }
    ]
  }
}"""
_MATTERMOST = """{
  "username": "Runyard",
  "attachments": [
    {
      "fallback": "${title}",
      "color": "${color}",
      "title": "${title}",
      "title_link": "${url}",
      "text": "${body}"
    }
  ]
}"""

PRESETS: dict[str, Preset] = {
    "": Preset(
        _("Any service"),
        _("A JSON POST with all available data, for your own program."),
        "https://example.com/hooks/runyard",
        _GENERIC,
    ),
    "teams": Preset(
        _("Microsoft Teams"),
        _(
            "In the channel, open Workflows, choose “Post to a channel when a webhook request is received”, and "
            "copy its URL."
        ),
        "https://….powerautomate.com/…/triggers/manual/paths/invoke?…",
        _TEAMS,
        "https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using",
    ),
    "discord": Preset(
        _("Discord"),
        _("In the channel’s settings, open Integrations, then Webhooks. Create one and copy its URL."),
        "https://discord.com/api/webhooks/…",
        _DISCORD,
        "https://discord.com/developers/docs/resources/webhook#execute-webhook",
    ),
    "ntfy": Preset(
        _("ntfy"),
        _("The URL of the topic you subscribe to. A protected topic needs its access token."),
        "https://ntfy.sh/your-topic",
        _NTFY,
        "https://docs.ntfy.sh/publish/#publish-as-json",
        split=_without_topic,
    ),
    "pagerduty": Preset(
        _("PagerDuty"),
        _(
            "Add the integration “Events API v2” to a service, and store its integration key as the secret "
            "PAGERDUTY_ROUTING_KEY."
        ),
        "https://events.pagerduty.com/v2/enqueue",
        _PAGERDUTY,
        "https://developer.pagerduty.com/docs/events-api-v2/trigger-events/",
    ),
    "feishu": Preset(
        _("Feishu / Lark"),
        _(
            "In the group’s settings, add a custom bot and copy its URL. Leave its signature off; Feishu’s "
            "signature is not supported."
        ),
        "https://open.feishu.cn/open-apis/bot/v2/hook/…",
        _FEISHU,
        "https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot",
        refusal=_feishu_refusal,
    ),
    "mattermost": Preset(
        _("Mattermost, Rocket.Chat"),
        _("Create an incoming webhook in the server’s integrations and copy its URL."),
        "https://chat.example.com/hooks/…",
        _MATTERMOST,
        "https://developers.mattermost.com/integrate/reference/message-attachments/",
    ),
}
"""By the name that a destination keeps, in the order in which pages offer them."""


def preset_of(destination: Destination) -> Preset:
    """Return the preset of a webhook."""
    return PRESETS.get(destination.preset, PRESETS[""])


def names_used_by(destination: Destination) -> set[str]:
    """Return the names of all secrets and variables that a destination uses."""
    if destination.is_slack:
        return set()
    used = names_in(destination.template or preset_of(destination).template)
    return (used | {destination.access_token_name, destination.signing_secret_name}) - {""}
