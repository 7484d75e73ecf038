"""Secrets are masked on pages, and what only looks random is left alone."""

import random
import string
import time
import uuid

import pytest

from runs.secrets.masking import MASK, find, looks_secret, mask, mask_arguments, mask_lines, mask_tree

_random = random.Random(7)


def some(count, alphabet=string.ascii_letters + string.digits):
    text = "".join(_random.choice(alphabet) for _ in range(count - 3))
    return f"{text}aB3"


HEX = "0123456789abcdef"
SECRETS = [
    "ry-" + some(40), "local-" + "".join(_random.choice(HEX) for _ in range(40)), "wandb_v1_" + some(77),
    "AKIA" + "IOSFODNN7EXAMPLE", "ghp_" + some(36), "github_pat_" + some(40), "glpat-" + some(20), "sk-" + some(48),
    "sk-proj-" + some(60), "sk-ant-api03-" + some(60), "hf_" + some(34), "xoxb-" + "12345678901-" + some(24),
    "AIza" + some(35), "sk_live_" + some(24), "npm_" + some(36), "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + some(43),
]  # fmt: skip

ASSIGNED = [
    ("password=", "hunter2!", ""), ('"db_password": "', "Tr0ub4dor&3", '"'), ("HF_TOKEN=", some(30), ""),
    ("--api-key ", some(32), " --lr 0.1"), ("WANDB_API_KEY=", "".join(_random.choice(HEX) for _ in range(40)), ""),
    ("aws_secret_access_key = ", some(40), ""), ("postgres://me:", "s3cretpw", "@db/x"),
    ("Authorization: Bearer ", some(40), ""), ("client_secret: '", some(32), "'"),
    ("wandb_api_key:\n  value: ", some(40), ""),
]  # fmt: skip

INNOCENT = [
    str(uuid.UUID(int=_random.getrandbits(128))), "".join(_random.choice(HEX) for _ in range(40)),
    "sha256:" + "".join(_random.choice(HEX) for _ in range(64)), "".join(_random.choice(HEX) for _ in range(64)),
    "3kq0x9ab", "run nopgmfnh finished", "max_tokens=2048", "tokens: 1234567890123456", "tokenizer: gpt2-medium-2048x",
    "pad_token=<|endoftext|>", "eos_token: </s>", "sk-resnet50-imagenet-pretrained-v2", "password: required",
    "password=None", "token=${HF_TOKEN}", "api_key=os.environ['OPENAI_API_KEY']", "secret: <hidden-value-1>",
    "epoch 3 token 123456789012345678 loss 0.123456789", "key: value_with_1_number", "hf_model_name", "s3://bucket/a/b",
    "monkey=banana12345678901234", "https://example.com:8080/path@v1.2.3", "token mixer-b16-224-in21k-ft-in1k",
    "wandb: Synced 5 W&B file(s), 0 media file(s)", "checkpoint-2026-11-21T10:00:00-epoch12.pt",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_a_token_of_a_known_shape_is_masked(secret):
    text = f"using key {secret} for this run"
    assert secret not in mask(text)
    assert mask(text) == f"using key {mask(secret)} for this run"
    assert mask(secret).startswith(secret[:2])
    assert MASK in mask(secret)


@pytest.mark.parametrize(("before", "secret", "after"), ASSIGNED)
def test_an_assigned_secret_is_masked(before, secret, after):
    assert mask(before + secret + after) == before + MASK + after


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_random_is_left_alone(text):
    assert mask(text) == text
    assert mask_tree({"note": text})[1] == []


def test_a_private_key_is_masked_over_its_lines_and_lines_stay_lines():
    body = [some(64) for _ in range(20)]
    lines = [
        "before",
        "-----BEGIN RSA PRIVATE KEY-----",
        *body,
        "-----END RSA PRIVATE KEY-----",
        None,
        "after",
    ]
    shown, count = mask_lines(lines)
    assert len(shown) == len(lines)
    assert count == 22
    assert [shown[0], shown[-1], shown[-2]] == ["before", "after", None]
    assert all(line == MASK for line in shown[1:-2])


def test_lines_without_a_secret_stay_the_same_objects():
    lines = ["a", None, "b"]
    assert mask_lines(lines) == (lines, 0)


def test_config_is_masked_by_the_names_of_its_keys_and_says_which():
    key = some(40)
    shown, found = mask_tree(
        {"wandb": {"api_key": key}, "args": ["--token", key, f"--t={SECRETS[4]}"], "lr": 0.1}
    )
    assert shown["wandb"]["api_key"] == MASK
    assert SECRETS[4] not in str(shown)
    assert key not in str(shown)
    assert [where.where for where in found] == ["wandb.api_key", "args"]
    assert shown["lr"] == 0.1


def test_a_command_line_is_masked_by_its_flags():
    key = some(32)
    shown, any_found = mask_arguments(["--api-key", key, "--lr", "0.1", f"--token={key}"])
    assert any_found
    assert shown == ["--api-key", MASK, "--lr", "0.1", f"--token={MASK}"]
    assert mask_arguments(["--epochs", "3"]) == (["--epochs", "3"], False)


@pytest.mark.parametrize(
    ("name", "secret"), [("password", True), ("passwords", False), ("token_count", False)]
)
def test_only_a_name_that_ends_in_the_word_counts(name, secret):
    assert looks_secret(name, some(20)) is secret


def test_hostile_texts_take_linear_time():
    """A second of CPU for a megabyte of the worst; backtracking would take for ever."""
    for text in (
        "password=" * 120_000,
        "eyJ" + "a" * 1_000_000,
        "-----BEGIN PRIVATE KEY-----" * 40_000,
        "_token" * 170_000,
    ):
        began = time.process_time()
        find(text)
        assert time.process_time() - began < 5
