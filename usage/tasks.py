"""Celery tasks of metering: running the meter, measuring hardware."""

from celery import shared_task

from usage.metering import hardware, meter

HARDWARE_BUDGET_S = 120.0


@shared_task(expires=60, time_limit=600)
def run_meter() -> str:
    """Count what was used since the last time; scheduled every minute."""
    return meter.run_meter().isoformat()


@shared_task(time_limit=600)
def measure_hardware() -> int:
    """Count the GPU time and energy of new samples; returns of how many runs. Scheduled every five minutes."""
    return hardware.measure(HARDWARE_BUDGET_S)
