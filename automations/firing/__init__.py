"""What happens when an automation acts: once in its time, for whom, and in which words."""
