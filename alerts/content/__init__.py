"""What messages say: the news of a run or a digest of many, and mail."""
