"""Where all settings are described."""

DOCS = "docs/operate/configure.md"
