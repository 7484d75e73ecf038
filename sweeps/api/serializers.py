"""REST: what sweeps look like, in answers and in what is sent."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from runs.api.serializers import MAX_RUNS
from runs.projects.services import MAX_NAME as MAX_PROJECT_NAME
from runs.secrets.masking import mask_tree
from sweeps.access import shown_config
from sweeps.config.document import Method, read_config
from sweeps.config.writing import as_yaml
from sweeps.lifecycle.services import MAX_DESCRIPTION, MAX_NAME
from sweeps.models import Sweep, SweepAgent, SweepState, Trial, TrialState
from sweeps.names import agent_command
from sweeps.selectors import expected_runs
from sweeps.trials.priors import MAX_PRIORS
from sweeps.trials.results import finite

_CONFIG_HELP = "YAML text, or the same as an object, which is stored as YAML."


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "object", "additionalProperties": True}]})
class ConfigField(serializers.Field[str, Any, str, str]):
    """A configuration: YAML text or an object."""

    def to_internal_value(self, data: Any) -> str:
        """Return it as YAML."""
        if isinstance(data, str):
            return data
        if isinstance(data, dict):
            return as_yaml(data)
        raise serializers.ValidationError("Must be YAML text or an object.")

    def to_representation(self, value: str) -> str:
        """Return the text."""
        return value


class SweepSerializer(serializers.ModelSerializer[Sweep]):
    """A sweep as a list shows it."""

    entity = serializers.CharField(source="project.team.name")
    project = serializers.CharField(source="project.name")
    uid = serializers.CharField(help_text="As `wandb agent` names it, and `sweep` of runs.")
    name = serializers.CharField(source="display_name", help_text="Empty: pages show the `uid`.")
    method = serializers.ChoiceField([(one.value, one.value) for one in Method])
    state = serializers.ChoiceField(SweepState.choices)
    is_stopped = serializers.BooleanField(help_text="Somebody ended it while trials remained.")
    metric_name = serializers.CharField(help_text="The key of the summary that is optimised; empty: none.")
    metric_goal = serializers.CharField(help_text="`minimize` or `maximize`; empty without a metric.")
    run_cap = serializers.IntegerField(allow_null=True, help_text="The most trials that are handed out.")
    expected_runs = serializers.SerializerMethodField(
        help_text="The points of the grid, or fewer by `run_cap`; null where there is no end."
    )
    run_count = serializers.IntegerField(help_text="Runs that lists show.")
    running_count = serializers.IntegerField(help_text="Those of them that are under way.")
    agent_count = serializers.IntegerField(help_text="Agents heard within the last minute.")
    best_value = serializers.FloatField(
        allow_null=True, help_text="The best value of the metric among the runs that have ended."
    )
    retry_crashed = serializers.BooleanField(
        source="retries", help_text="Whether trials whose run crashed are handed out again."
    )
    stops_early = serializers.BooleanField(
        source="is_hyperband", help_text="Whether runs that fall behind are stopped (hyperband)."
    )
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = Sweep
        fields: ClassVar[list[str]] = [
            "id", "entity", "project", "uid", "name", "description", "method", "state", "is_stopped", "metric_name",
            "metric_goal", "run_cap", "expected_runs", "run_count", "running_count", "agent_count", "best_value",
            "retry_crashed", "stops_early", "created_by", "created_at", "updated_at", "ended_at", "deleted_at",
        ]  # fmt: skip

    def get_expected_runs(self, sweep: Sweep) -> int | None:
        """Return how many runs it is to have."""
        return expected_runs(sweep)


class BestRunSerializer(serializers.Serializer[Any]):
    """The run with the best last value of the metric."""

    id = serializers.IntegerField()
    uid = serializers.CharField()
    display_name = serializers.CharField()
    value = serializers.FloatField()


class SweepDetailSerializer(SweepSerializer):
    """A sweep with its configuration and how far it is."""  # the context has actor, best and states

    config = serializers.SerializerMethodField(
        help_text="YAML as it was sent; with secrets masked for who may neither edit the sweep nor log its runs."
    )
    warnings = serializers.SerializerMethodField(
        help_text="What of the configuration has no effect, or is hardly meant."
    )
    states = serializers.SerializerMethodField(help_text="How many of its runs are in each state.")
    best_run = serializers.SerializerMethodField(
        help_text="Of all runs, also those under way; null where none logged a finite value."
    )
    agent_command = serializers.SerializerMethodField(help_text="What starts an agent on a machine.")

    class Meta(SweepSerializer.Meta):
        fields: ClassVar[list[str]] = [
            *SweepSerializer.Meta.fields, "config", "warnings", "states", "best_run", "agent_command",
        ]  # fmt: skip

    def get_config(self, sweep: Sweep) -> str:
        """Return the text."""
        return shown_config(self.context["actor"], sweep)

    def get_warnings(self, sweep: Sweep) -> list[str]:
        """Return what creating it would warn of, in the reader's language."""
        return list(read_config(sweep.config_text).warnings)

    def get_states(self, sweep: Sweep) -> dict[str, int]:
        """Return the counts."""
        counts: dict[str, int] = self.context["states"]
        return counts

    @extend_schema_field(BestRunSerializer(allow_null=True))
    def get_best_run(self, sweep: Sweep) -> Any:
        """Return the run and its value."""
        if self.context["best"] is None:
            return None
        run, value = self.context["best"]
        return {"id": run.pk, "uid": run.uid, "display_name": run.display_name, "value": value}

    def get_agent_command(self, sweep: Sweep) -> str:
        """Return the command."""
        return agent_command(sweep)


class SweepCreateSerializer(serializers.Serializer[Any]):
    """What makes a sweep of a project."""

    entity = serializers.CharField(max_length=64)
    project = serializers.CharField(max_length=MAX_PROJECT_NAME)
    config = ConfigField(help_text=_CONFIG_HELP)
    name = serializers.CharField(
        max_length=MAX_NAME, allow_blank=True, required=False, help_text="Else the one in the configuration."
    )
    description = serializers.CharField(
        max_length=MAX_DESCRIPTION, allow_blank=True, required=False, help_text="As the name."
    )
    prior_runs = serializers.ListField(
        child=serializers.CharField(max_length=128), max_length=MAX_PRIORS, required=False,
        help_text="Ids (`uid`) of the project’s earlier runs that the search learns from.",
    )  # fmt: skip


class SweepUpdateSerializer(serializers.Serializer[Any]):
    """What of a sweep can be changed; what is not sent stays."""

    config = ConfigField(required=False, help_text=_CONFIG_HELP + " Trials that were handed out stay.")
    name = serializers.CharField(max_length=MAX_NAME, allow_blank=True, required=False)
    description = serializers.CharField(max_length=MAX_DESCRIPTION, allow_blank=True, required=False)


class SweepRunsSerializer(serializers.Serializer[Any]):
    """Which runs leave a sweep."""

    uids = serializers.ListField(
        child=serializers.CharField(max_length=128),
        min_length=1,
        max_length=MAX_RUNS,
        help_text="Which runs.",
    )


class SweepAgentSerializer(serializers.ModelSerializer[SweepAgent]):
    """A process that asks for runs of a sweep."""

    host = serializers.CharField()
    user = serializers.CharField(
        source="user.username", default=None, allow_null=True, help_text="Whose key it uses."
    )
    run_count = serializers.IntegerField(help_text="Runs that it was given and that were not deleted.")
    is_lost = serializers.BooleanField(help_text="Silent for a minute without having been told to exit.")
    exited_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was told that there is nothing to do."
    )

    class Meta:
        model = SweepAgent
        fields: ClassVar[list[str]] = [
            "id", "uid", "host", "user", "run_count", "is_lost", "created_at", "heartbeat_at", "exited_at",
        ]  # fmt: skip


class TrialSerializer(serializers.ModelSerializer[Trial]):
    """One set of arguments, and what became of it."""  # the context has reads_exactly

    number = serializers.IntegerField(help_text="In the sweep, from 1; 0 for earlier runs.")
    args = serializers.SerializerMethodField(
        help_text="As the program gets them; secrets are masked as in the configuration."
    )
    state = serializers.ChoiceField(
        TrialState.choices,
        help_text="`given` to an agent, `running`, `waiting` to be handed out again, or `ended`.",
    )
    attempts = serializers.IntegerField(help_text="How often it was handed out.")
    agent = serializers.CharField(source="agent.uid", default=None, allow_null=True)
    run = serializers.SerializerMethodField(
        help_text="`id` of its run; null before that begins, and once it was deleted."
    )
    run_uid = serializers.CharField(help_text="Of the run that it is, or is to become.")
    value = serializers.SerializerMethodField(help_text="The last finite value of the metric.")
    is_prior = serializers.BooleanField(help_text="An earlier run that the search learns from.")
    is_early_stop = serializers.BooleanField(help_text="Stopped since it fell behind (hyperband).")

    class Meta:
        model = Trial
        fields: ClassVar[list[str]] = [
            "number", "args", "state", "attempts", "agent", "run", "run_uid", "value", "is_prior", "is_early_stop",
            "given_at", "updated_at",
        ]  # fmt: skip

    def get_args(self, trial: Trial) -> dict[str, Any]:
        """Return the arguments."""
        shown: dict[str, Any] = trial.args if self.context["reads_exactly"] else mask_tree(trial.args)[0]
        return shown

    def get_run(self, trial: Trial) -> int | None:
        """Return the run."""
        return trial.run_id if trial.run is not None and trial.run.deleted_at is None else None

    def get_value(self, trial: Any) -> float | None:
        """Return the value."""
        return finite(trial.value)
