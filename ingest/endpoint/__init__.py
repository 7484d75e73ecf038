"""The ASGI endpoint of posts that the SDK's stream and REST's share: reading, checking, pacing, answering."""
