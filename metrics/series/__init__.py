"""Series of stored points as charts and the SDK read them: bucketed, sampled, smoothed."""
