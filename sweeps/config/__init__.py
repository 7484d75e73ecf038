"""What a sweep is to do, read from the YAML that the SDK sends or a person writes."""
