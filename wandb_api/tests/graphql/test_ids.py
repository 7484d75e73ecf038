"""Global ids."""

import pytest

from common.errors import NotFound
from wandb_api.graphql.global_ids import from_id, to_id


@pytest.mark.parametrize(
    ("kind", "words"), [("Run", "run"), ("ApiKey", "api key"), ("ArtifactCollection", "artifact collection")]
)
def test_an_id_that_is_none_is_refused_in_words(kind: str, words: str):
    assert from_id(kind, to_id(kind, 7)) == 7
    with pytest.raises(NotFound, match=f"^The {words} with the ID “x” doesn’t exist.$"):
        from_id(kind, "x")
