"""The adapter for web pages and WebSockets: actors of requests, headers, frames, and the page of metrics."""
