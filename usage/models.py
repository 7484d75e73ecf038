"""The ledgers of what was used, what is made of them for reading, and what an organization charges its own teams.

Days are UTC. Ledgers speak of teams, projects, runs and people by plain numbers, because they outlive these. Tables are
named after the app that they once were in.
"""

from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from common.models import Timestamped
from teams.models import Organization
from usage.units import CURRENCY, ZERO


class _Of(models.Model):
    """Whose use it is. Plain numbers: entries outlive what they speak of."""

    team_id = models.BigIntegerField("team ID")
    project_id = models.BigIntegerField("project ID")
    user_id = models.BigIntegerField("user ID", null=True)
    run_id = models.BigIntegerField("run ID")

    class Meta:
        abstract = True


class TrackedInterval(_Of):
    """Time in which a run was running (BIL-4): from its begin or resume to its end, or to its last sign of life.

    Written in the transaction of the change of state. Ledger of tracked hours, kept for ever.
    """

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(
        null=True, help_text="Empty while the run is running; it counts up to the last heartbeat."
    )
    not_before = models.DateTimeField(
        help_text="Earlier time fell into a closed period; it counts from here."
    )
    counted_to = models.DateTimeField("counted until", help_text="Up to here it is part of the daily totals.")

    class Meta:
        db_table = "billing_trackedinterval"
        verbose_name = "tracked time entry"
        verbose_name_plural = "tracked time entries"
        constraints = [
            models.UniqueConstraint(
                fields=["run_id"], condition=Q(ended_at__isnull=True), name="billing_interval_one_open"
            ),
        ]
        indexes = [
            models.Index(fields=["run_id"], name="billing_interval_run"),
            # by the key, as the meter reads: where it was by team, planners walked the primary key instead
            models.Index(
                fields=["id"],
                condition=Q(ended_at__isnull=True) | ~Q(ended_at=F("counted_to")),
                name="billing_interval_uncounted",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.run_id} from {self.began_at:%Y-%m-%d %H:%M}"


class ReportedTime(_Of):
    """Seconds that a run's own clock tells beyond what the server heard: of runs synced late. Ledger."""

    at = models.DateTimeField("reported at", help_text="When the server received it; it counts on this day.")
    seconds = models.PositiveBigIntegerField()
    is_counted = models.BooleanField(
        "counted", default=False, help_text="Whether it is part of the daily totals."
    )

    class Meta:
        db_table = "billing_reportedtime"
        verbose_name = "reported time entry"
        verbose_name_plural = "reported time entries"
        indexes = [
            models.Index(fields=["run_id"], name="billing_reported_run"),
            models.Index(fields=["at"], condition=Q(is_counted=False), name="billing_reported_uncounted"),
        ]

    def __str__(self) -> str:
        return f"{self.seconds} s of run {self.run_id}"


class IngestionEntry(models.Model):
    """Bytes of trace data taken in (BIL-4). Ledger."""

    team_id = models.BigIntegerField("team ID")
    project_id = models.BigIntegerField("project ID", null=True)
    user_id = models.BigIntegerField("user ID", null=True)
    at = models.DateTimeField("time", default=timezone.now)
    size_bytes = models.PositiveBigIntegerField("size (bytes)")
    token = models.CharField(
        max_length=64,
        unique=True,
        help_text="The producer's own; a repeated one changes nothing.",
    )
    is_counted = models.BooleanField(
        "counted", default=False, help_text="Whether it is part of the daily totals."
    )

    class Meta:
        db_table = "billing_ingestionentry"
        verbose_name = "trace data entry"
        verbose_name_plural = "trace data entries"
        indexes = [
            models.Index(fields=["at"], condition=Q(is_counted=False), name="billing_ingestion_uncounted")
        ]

    def __str__(self) -> str:
        return f"{self.size_bytes} B for team {self.team_id}"


class _Hardware(_Of):
    """GPU time and energy of one day of a run."""

    day = models.DateField(help_text="UTC.")
    gpu_s = models.BigIntegerField("GPU time (s)", default=0, help_text="Total of the sampled GPUs.")
    energy_j = models.BigIntegerField("energy (J)", default=0, help_text="Drawn by GPUs.")
    is_host = models.BooleanField(
        "host monitoring", default=False, help_text="Whether the run only monitored a machine."
    )
    is_counted = models.BooleanField(
        "counted", default=False, help_text="Whether it is part of the daily totals."
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"run {self.run_id} on {self.day}"


class HardwareUse(_Hardware):
    """What came of samples that a run sent. Ledger, for chargeback."""

    row_from = models.BigIntegerField("first row", help_text="Of the system metrics that it covers.")
    row_to = models.BigIntegerField("end row", help_text="Exclusive.")

    class Meta:
        db_table = "billing_hardwareuse"
        verbose_name = "GPU usage entry"
        verbose_name_plural = "GPU usage entries"
        constraints = [
            models.UniqueConstraint(fields=["run_id", "row_from", "day"], name="billing_hardware_once")
        ]
        indexes = [
            models.Index(fields=["day"], condition=Q(is_counted=False), name="billing_hardware_uncounted")
        ]


class HardwareShift(_Hardware):
    """What a run lost of it to one with a better claim, or to itself as a training; negative takes away. Ledger."""

    class Meta:
        db_table = "billing_hardwareshift"
        verbose_name = "GPU usage correction"
        indexes = [
            models.Index(fields=["run_id"], name="billing_shift_run"),
            models.Index(fields=["day"], condition=Q(is_counted=False), name="billing_shift_uncounted"),
        ]


class GpuClaim(_Of):
    """A stretch of time in which a GPU counts for one run, so that no other run's samples count it again."""

    gpu = models.CharField("GPU", max_length=200, help_text="Its owner and UUID.")
    rank = models.PositiveSmallIntegerField(help_text="The lower rank has the better claim.")
    began_at = models.FloatField(help_text="Unix seconds.")
    ended_at = models.FloatField(help_text="Unix seconds.")

    class Meta:
        db_table = "billing_gpuclaim"
        verbose_name = "GPU claim"
        indexes = [
            models.Index(fields=["gpu", "ended_at"], name="billing_gpuclaim_gpu"),
            models.Index(fields=["run_id"], name="billing_gpuclaim_run"),
        ]

    def __str__(self) -> str:
        return f"{self.gpu} from {self.began_at:.0f} to {self.ended_at:.0f}"


SUMS = (
    "tracked_s", "opening_bytes", "delta_bytes", "byte_seconds", "ingested_bytes", "gpu_s", "energy_j", "host_gpu_s",
    "host_energy_j",
)  # fmt: skip
"""What is added up in `UsageDay` and `TeamDay`."""


class _Used(models.Model):
    """What was used on one day: made of the ledgers, made anew by `rebuild`.

    A month reads its own rows alone: on the first day of a calendar month, ``opening_bytes`` says what was held when it
    began. Bytes held at a time are the opening and all ``delta_bytes`` since.
    """

    team_id = models.BigIntegerField("team ID")
    day = models.DateField(help_text="UTC.")
    tracked_s = models.BigIntegerField("tracked time (s)", default=0)
    opening_bytes = models.BigIntegerField(
        "opening balance (bytes)", default=0, help_text="Stored when the month began; on its first day only."
    )
    delta_bytes = models.BigIntegerField("net change (bytes)", default=0, help_text="Within the day.")
    byte_seconds = models.BigIntegerField(
        "byte-seconds", default=0, help_text="Each change times the seconds left in the day, added up."
    )
    ingested_bytes = models.BigIntegerField("trace data (bytes)", default=0)
    gpu_s = models.BigIntegerField("GPU time (s)", default=0)
    energy_j = models.BigIntegerField("energy (J)", default=0)
    host_gpu_s = models.BigIntegerField(
        "host GPU time (s)", default=0, help_text="Of GPUs sampled only by runs that monitor a machine."
    )
    host_energy_j = models.BigIntegerField("host energy (J)", default=0, help_text="Drawn by those GPUs.")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"team {self.team_id} on {self.day}"


class UsageDay(_Used):
    """What a person used in a project on one day."""

    project_id = models.BigIntegerField("project ID", default=0, help_text="0: no project.")
    user_id = models.BigIntegerField("user ID", default=0, help_text="0: unknown.")

    class Meta:
        db_table = "billing_usageday"
        verbose_name = "daily usage total"
        constraints = [
            models.UniqueConstraint(
                fields=["team_id", "day", "project_id", "user_id"], name="billing_usageday_once"
            )
        ]


class TeamDay(_Used):
    """What all of a team used on one day: what payers are charged, limited and warned by, and most pages draw.

    The sum of the team's rows of `UsageDay`, which may be thousands; both are written by the same sums.
    """

    class Meta:
        db_table = "billing_teamday"
        verbose_name = "daily team total"
        constraints = [models.UniqueConstraint(fields=["team_id", "day"], name="billing_teamday_once")]


class MeterState(models.Model):
    """How far the meter came; one row, which is locked while it works."""

    id = models.PositiveSmallIntegerField("ID", primary_key=True, default=1)
    metered_at = models.DateTimeField(
        null=True, help_text="Everything committed before is in the daily totals."
    )
    opened_month = models.DateField(null=True, help_text="The last month whose opening balances are written.")

    class Meta:
        db_table = "billing_meterstate"
        verbose_name = "usage meter"

    def __str__(self) -> str:
        return "usage meter"


def _price(verbose_name: str, help_text: str) -> "models.DecimalField[Decimal, Decimal]":
    return models.DecimalField(
        verbose_name,
        max_digits=12,
        decimal_places=4,
        default=ZERO,
        validators=[MinValueValidator(ZERO)],
        help_text=help_text,
    )


class InternalPrices(Timestamped):
    """What an organization charges its own teams, for showback; no money moves by it."""

    organization = models.OneToOneField(Organization, models.CASCADE, related_name="internal_prices")
    currency = models.CharField(max_length=3, default=CURRENCY, help_text="ISO 4217 code.")
    gpu_hour_price = _price("GPU hour price", "Per hour of one GPU.")
    storage_gb_price = _price("storage price", "Per GB (10⁹ bytes) and billing period.")
    kwh_price = _price("energy price", "Per kWh drawn by GPUs.")

    class Meta:
        db_table = "billing_internalprices"
        verbose_name = "internal price list"

    def __str__(self) -> str:
        return f"prices of {self.organization}"
