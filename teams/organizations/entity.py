"""The entity that owns what belongs to an organization as a whole: its registries."""

from teams.models import Organization, Team, TeamKind


def find_entity(organization: Organization) -> Team | None:
    """Return the entity of an organization, if it has one yet."""
    return Team.objects.filter(organization=organization, kind=TeamKind.ORGANIZATION).first()


def ensure_entity(organization: Organization) -> Team:
    """Return the entity of an organization, which bears its name; created on first use."""
    entity, _ = Team.objects.get_or_create(
        organization=organization,
        kind=TeamKind.ORGANIZATION,
        defaults={
            "claim": organization.claim,
            "name": organization.name,
            "public_projects_allowed": False,
            "is_hidden": True,
        },
    )
    return entity
