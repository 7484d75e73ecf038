"""The SDK's protocol as the whole application answers it: what requests may contain, in the test's own process."""
