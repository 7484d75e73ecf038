"""What teams do by themselves."""

from celery import shared_task

from teams.mail import mail_invitation


@shared_task(acks_late=True, autoretry_for=(OSError,), retry_backoff=2, max_retries=5, time_limit=60)
def send_invitation(invitation_id: int) -> None:
    """Mail an invitation; a second run mails a second link, and the first ends (SMTP's errors are OSErrors)."""
    mail_invitation(invitation_id=invitation_id)
