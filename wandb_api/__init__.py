"""The wandb SDK's protocol: GraphQL, file_stream, uploads. No models, no rules of its own."""
