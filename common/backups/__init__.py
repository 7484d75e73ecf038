"""Backups of an installation, in one file each, taken while it runs (docs/operate/run.md#backup).

An archive is a tar, compressed by Zstandard, and encrypted by age for whom its writer names. In it are ``about.json``
(version, kind of database, migrations), the database, ``secret-key``, every file of ``blobs/`` and ``segments/``, and
at its end ``manifest.json`` with the count, bytes and digest of each of these, so that one which is cut off or damaged
is never taken for whole. An incremental one names a full one, its base, and holds only files that are not in that,
and ``in-base``, the list of the others.
"""

import re

ABOUT, DATABASE, SECRET_KEY, BLOBS, SEGMENTS, IN_BASE, MANIFEST = (
    "about.json", "database", "secret-key", "blobs", "segments", "in-base", "manifest.json"
)  # fmt: skip
CHUNK = 1024 * 1024
FILE_NAME = re.compile(rf"(?:{BLOBS}|{SEGMENTS})(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+")
"""Files of an archive that Runyard writes: nothing that leads out of a folder."""
