"""Payloads of webhooks (ALR-7): JSON with variables, out of which no value can break."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alerts.notices.notice import Notice
from alerts.payloads.presets import PRESETS
from alerts.payloads.templating import MAX_PAYLOAD_BYTES, MAX_TEMPLATE, check_template, fill, samples
from alerts.payloads.values import values_of_notice
from common.errors import Invalid

KEY = "PAGERDUTY_ROUTING_KEY"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def filled(template: str, **values: Any) -> Any:
    return json.loads(fill(template, values))


def refusal(template: str, *secrets: str) -> str:
    with pytest.raises(Invalid) as refused:
        check_template(template, secret_names=secrets)
    return refused.value.message


class TestValues:
    @given(TEXTS)
    def test_inside_a_string_a_value_stays_that_string(self, value: str):
        template = '{"a": "before ${run_name} after", "${run_name}": 1, "b": "\\"${run_name}\\\\"}'
        check_template(template, secret_names=())
        got = filled(template, run_name=value)
        assert got["a"] == f"before {value} after"
        assert got["b"] == f'"{value}\\'

    @given(st.recursive(TEXTS | st.integers() | st.none() | st.booleans(), st.lists, max_leaves=5))
    def test_outside_of_strings_a_value_is_one_json_value(self, value: Any):
        assert filled('{"a": [${fields}, 1]}', fields=value) == {"a": [value, 1]}

    @pytest.mark.parametrize(
        ("value", "meant"),
        [
            ("0.25", 0.25),
            ("3", 3),
            ("NaN", "NaN"),
            ("1e999", "1e999"),
            ("x", "x"),
            (float("nan"), None),
            (None, None),
        ],
    )
    def test_numbers_that_come_as_text_leave_as_numbers(self, value: Any, meant: Any):
        assert filled("[${metric_value}]", metric_value=value) == [meant]

    def test_metadata_of_an_artifact_is_what_it_is(self):
        values = {
            "artifact_metadata.loss": "0.1",
            "artifact_metadata.tags": '["a"]',
            "artifact_metadata.a b": "c",
        }
        template = '[${artifact_metadata.loss}, ${artifact_metadata.tags}, "${artifact_metadata.loss}"]'
        check_template(template, secret_names=())
        assert json.loads(fill(template, values)) == [0.1, ["a"], "0.1"]

    def test_what_an_event_has_no_value_for_is_empty(self):
        assert filled('["${alias}", ${alias}]') == ["", None]

    def test_a_payload_has_a_size_limit(self):
        with pytest.raises(Invalid, match="larger than 64 KiB"):
            fill('["${text}"]', {"text": "x" * MAX_PAYLOAD_BYTES})


class TestChecks:
    @pytest.mark.parametrize(
        "template",
        [
            "", "{", '{"a": ${run_id}', "{'a': 1}", '{${run_id}: 1}', '{"a": NaN}', '{"a": "\\${run_id}"}', "${a}${b}",
            '"${run_id}', '{"a": 1${run_id}}', '{"a": "\n"}', "[" * 5000, '{"a": ${run_id}${run_id}}',
        ],
    )  # fmt: skip
    def test_what_is_not_json_with_any_value_is_refused(self, template: str):
        assert refusal(template, "a", "b")

    def test_an_unknown_variable_is_refused_naming_those_there_are(self):
        message = refusal('{"a": "${run_nmae} ${TOKEN}"}', "DEPLOY_TOKEN")
        assert "Unknown variable or secret TOKEN, run_nmae." in message
        assert "run_name" in message
        assert "Secrets: DEPLOY_TOKEN." in message

    def test_a_variable_that_is_not_closed_is_refused(self):
        assert "not closed" in refusal('{"a": "${run_name"}')

    def test_the_sign_alone_can_be_written(self):
        template = '{"a": "\\u0024{run_name} costs 5 $"}'
        check_template(template, secret_names=())
        assert filled(template) == {"a": "${run_name} costs 5 $"}

    def test_a_template_has_a_size_limit(self):
        assert "16,384" in refusal(json.dumps("x" * MAX_TEMPLATE))


@pytest.mark.parametrize("preset", PRESETS)
class TestPresets:
    """Wish 81: payloads for services that many people use."""

    def test_each_is_json_with_what_its_service_wants(self, preset: str):
        template = PRESETS[preset].template
        check_template(template, secret_names=[KEY])
        assert fill(template, {**samples(), KEY: "k"})

    def test_a_message_of_any_text_fits(self, preset: str):
        notice = Notice(
            uid="u", title='"quoted"\n' * 100, text='{"a": "\\' * 900, level="ERROR",
            fields=tuple((f'"{number}"', "x" * 900) for number in range(60)),
        )  # fmt: skip
        payload = json.loads(fill(PRESETS[preset].template, {**values_of_notice(notice), KEY: "k"}))
        assert payload


def test_discord_gets_a_color_and_no_mention():
    payload = json.loads(
        fill(
            PRESETS["discord"].template,
            values_of_notice(Notice(uid="u", title="@everyone", text="", level="WARN")),
        )
    )
    assert payload["allowed_mentions"] == {"parse": []}
    assert payload["embeds"][0]["color"] == 0xD97706


def test_pagerduty_knows_a_repeat_by_its_key():
    values = {**values_of_notice(Notice(uid="the-uid", title="t", text="", level="ERROR")), KEY: "key"}
    payload = json.loads(fill(PRESETS["pagerduty"].template, values))
    assert (payload["dedup_key"], payload["payload"]["severity"], payload["routing_key"]) == (
        "the-uid",
        "error",
        "key",
    )
