"""The pages of people, teams and organizations: which of their projects and runs a viewer sees."""
