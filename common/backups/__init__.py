"""Whole backups of an installation, in one file, taken while it runs (docs/operate/run.md).

An archive is a tar: ``about.json`` (version, kind of database, migrations), the database, ``secret-key``, every file of
``blobs/`` and ``segments/``, and at its end ``manifest.json`` with the count, bytes and digest of each of these, so
that one which is cut off or damaged is never taken for whole.
"""

ABOUT, DATABASE, SECRET_KEY, BLOBS, SEGMENTS, MANIFEST = (
    "about.json", "database", "secret-key", "blobs", "segments", "manifest.json"
)  # fmt: skip
CHUNK = 1024 * 1024
