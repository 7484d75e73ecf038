"""JSON values that a client may send, and what every answer to them must be like."""

import httpx
import pytest

VALUES = {
    "lists of 100,000 levels": "[" * 100_000 + "]" * 100_000,
    "lists of 900 levels": "[" * 900 + "]" * 900,
    "lists of 300 levels": "[" * 300 + "]" * 300,
    "lists of 150 levels": "[" * 150 + "]" * 150,
    "objects of 100,000 levels": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "objects of 900 levels": '{"a":' * 900 + "1" + "}" * 900,
    "objects of 300 levels": '{"a":' * 300 + "1" + "}" * 300,
    "objects of 150 levels": '{"a":' * 150 + "1" + "}" * 150,
    "lists without end": "[" * 100_000,
    "beyond a double": "1e999",
    "too small": "-1e-999",
    "400 digits": "1" + "0" * 400,
    "-400 digits": "-1" + "0" * 400,
    "5,000 digits": "9" * 5000,
    "beyond 64 bits": "18446744073709551616",
    "NaN": "NaN",
    "minus Infinity": "-Infinity",
    "the same key twice": '{"a": 1, "a": {"b": 2}, "a": [3]}',
    "lone surrogates": '{"\\ud800": "\\udfff"}',
    "NUL": '{"\\u0000": "\\u0000"}',
    "key of separators": '{"a\\u001fb": 1, "": 2, ".": 3, "__proto__": 4}',
    "a false histogram": '{"_type": "histogram", "bins": "no", "values": {}}',
    "half a string": '"abc',
    "many keys": "{" + ",".join(f'"k{i}": {i}' for i in range(5_000)) + "}",
    "a long string": '"' + "x" * 1_000_000 + '"',
}
by_value = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())


def filled(template: str, value: str) -> str:
    """Put the value where the template has VALUE."""
    return template.replace("VALUE", value)


def fine(reply: httpx.Response, *expected: int) -> httpx.Response:
    """See that a reply is one of those expected, and says why if it refuses."""
    assert reply.status_code in expected, reply.text[:500]
    if reply.status_code != 200:
        assert reply.json()["errors"][0]["message"]
    return reply
