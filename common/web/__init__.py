"""What Django views of several apps share: responses, streams, the context of every page."""
