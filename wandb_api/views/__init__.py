"""What Django serves for the SDK: GraphQL, Weave's questions, and pages at W&B's addresses."""
