"""Somebody who asks."""

import pytest

from tests.factories import UserFactory
from wandb_api.tests.asking import Asker


@pytest.fixture
def ada(db: None) -> Asker:
    """Return a person with an API key and a personal entity."""
    return Asker(UserFactory(username="ada"))
