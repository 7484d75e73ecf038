"""What `runyard doctor` looks at, and what it says of it: one finding for each part, with how to mend it."""
