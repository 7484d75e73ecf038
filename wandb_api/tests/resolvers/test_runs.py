"""Runs that are deleted and set to another state by `wandb.Api()` (protocol 3.1)."""

import pytest

from access.actions import Preset
from runs.models import Run
from tests.factories import RunFactory, UserFactory, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db

DELETE = 'mutation D($id: ID!) { deleteRun(input: {id: $id, clientMutationId: "m"}) { clientMutationId } }'
SET = "mutation S($input: UpdateRunStateInput!) { updateRunState(input: $input) { success } }"
DONE = {"deleteRun": {"clientMutationId": "m"}}


class TestDeleteRun:
    """Of a lost answer the SDK asks again."""

    @pytest.fixture
    def run(self) -> Run:
        return RunFactory()

    @pytest.fixture
    def admin(self, run: Run) -> Asker:
        return Asker(make_member(run.project.team, Preset.ADMIN))

    def test_may_be_repeated(self, run: Run, admin: Asker):
        for _ in range(2):
            assert admin.ask(DELETE, id=to_id("Run", run.pk)).data == DONE
        deleted_at = Run.objects.get().deleted_at
        assert deleted_at is not None

    def test_does_not_tell_a_stranger_of_a_deleted_run(self, run: Run, admin: Asker):
        admin.ask(DELETE, id=to_id("Run", run.pk))
        stranger = Asker(UserFactory())
        for run_id in (to_id("Run", run.pk), to_id("Run", run.pk + 1)):
            answer = stranger.ask(DELETE, id=run_id)
            assert answer.status == 404
            assert answer.messages == [
                f"The run with the ID “{run_id}” doesn’t exist, or you don’t have access to it."
            ]

    def test_is_not_repeated_for_who_may_only_look(self, run: Run, admin: Asker):
        viewer = Asker(make_member(run.project.team, Preset.VIEW_ONLY))
        assert viewer.ask(DELETE, id=to_id("Run", run.pk)).status == 403
        admin.ask(DELETE, id=to_id("Run", run.pk))
        assert viewer.ask(DELETE, id=to_id("Run", run.pk)).status == 404


class TestUpdateRunState:
    """`Run.update_state`, announced as UPDATE_RUN_STATE."""

    @pytest.mark.parametrize("state", ["failed", "running", "odd"])
    def test_what_cannot_be_is_an_invalid_state_transition(self, state: str):
        run = RunFactory()
        admin = Asker(make_member(run.project.team, Preset.ADMIN))
        asked = {"id": to_id("Run", run.pk), "state": state}
        assert admin.ask(SET, input={**asked, "state": "failed"}).data == {
            "updateRunState": {"success": True}
        }
        answer = admin.ask(SET, input=asked)
        assert answer.status == 400
        assert "invalid state transition" in answer.messages[0]

    def test_is_announced(self):
        features = Asker(UserFactory()).ask("{ serverInfo { features { name isEnabled } } }").data
        assert {"name": "UPDATE_RUN_STATE", "isEnabled": True} in features["serverInfo"]["features"]
