"""The one door to stored content, whether it lies in the data folder or in a bucket."""
