"""Groups of sign-in providers and the teams that they lead to."""

from django.db import models


class GroupMapping(models.Model):
    """Whoever is in a provider's group joins a team with a role (ACC-21)."""

    provider = models.SlugField("sign-in provider", max_length=40, help_text="Its slug.")
    group = models.CharField(max_length=200, help_text="As the provider spells it.")
    team = models.ForeignKey("teams.Team", models.CASCADE, related_name="group_mappings")
    role = models.ForeignKey("teams.Role", models.PROTECT, related_name="+")

    class Meta:
        ordering = ["pk"]
        verbose_name = "group mapping"
        constraints = [
            models.UniqueConstraint(fields=["provider", "group", "team"], name="teams_groupmapping_once")
        ]

    def __str__(self) -> str:
        return f"{self.group} to {self.team}"


class GroupMembership(models.Model):
    """Marks a membership that a group gave, so that leaving the group ends it and nothing else."""

    membership = models.OneToOneField("teams.Membership", models.CASCADE, related_name="from_group")
    provider = models.SlugField(max_length=40)

    def __str__(self) -> str:
        return f"{self.membership} by {self.provider}"
