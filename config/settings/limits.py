"""Every limit of the installation; each is stated in the error that enforces it."""

from config.env import env

MIB = 1024 * 1024

CRASH_TIMEOUT_S = env.int("RUNYARD_CRASH_TIMEOUT_S", default=300)
DELETED_KEPT_DAYS = env.int("RUNYARD_DELETED_KEPT_DAYS", default=7)
FILE_STREAM_MAX_BYTES = env.int("RUNYARD_FILE_STREAM_MAX_MIB", default=64) * MIB
FILE_STREAM_MAX_LINES = env.int("RUNYARD_FILE_STREAM_MAX_LINES", default=1_000_000)
"""Lines of a post: history, system metrics, log (SDKs send up to 300,000), and four times as many values."""
ROW_MAX_VALUES = env.int("RUNYARD_ROW_MAX_VALUES", default=250_000)
"""Values of a logged row, of a run's config and of its summary; each item of lists and objects is one."""
RUN_MAX_KEYS = env.int("RUNYARD_RUN_MAX_KEYS", default=250_000)
"""Keys of a run's history, and of its system metrics."""
GRAPHQL_MAX_BYTES = env.int("RUNYARD_GRAPHQL_MAX_MIB", default=32) * MIB
GRAPHQL_MAX_ANSWER_BYTES = env.int("RUNYARD_GRAPHQL_MAX_ANSWER_MIB", default=128) * MIB
"""Of values that a GraphQL request reads and answers."""
GRAPHQL_MAX_FIELDS = env.int("RUNYARD_GRAPHQL_MAX_FIELDS", default=500_000)
"""Fields that a GraphQL request resolves: 1,000 runs with all of theirs are 30,000."""
GRAPHQL_MAX_S = env.int("RUNYARD_GRAPHQL_MAX_S", default=20)
"""Processor time of a GraphQL request; each second counts as 1,000 requests."""
REQUEST_MAX_S = env.int("RUNYARD_REQUEST_MAX_S", default=20)
"""Processor time of any other request."""
DECODED_MAX_BYTES = env.int("RUNYARD_DECODED_MAX_MIB", default=256) * MIB
"""What the JSON of a request may take when decoded, and that of all requests of a web process at the same time."""
DECODER_BYTES = env.int("RUNYARD_DECODER_MIB", default=512) * MIB
"""Memory that a process may use to decode one file or picture for a page; two of them run beside each web process."""
PROCESSOR_RATE = env.int("RUNYARD_PROCESSOR_RATE", default=30)
"""Seconds of processor time that a user or address has in a minute for pages and REST; 0 is no limit."""
BODY_MAX_BYTES = env.int("RUNYARD_BODY_MAX_MIB", default=8) * MIB
"""Body of any request but those to GraphQL, to signed URLs, and posts of lines."""
REST_MAX_BYTES = env.int("RUNYARD_REST_MAX_MIB", default=1) * MIB
"""Body of a REST request, where the endpoint needs no more."""
STREAMS_MAX = env.int("RUNYARD_STREAMS_MAX", default=16)
"""Answers that a web process streams at the same time ..."""
STREAMS_EACH = env.int("RUNYARD_STREAMS_EACH", default=6)
"""... and of these, to one address."""
UPLOAD_MAX_BYTES = env.int("RUNYARD_UPLOAD_MAX_GIB", default=100) * 1024 * MIB
FREE_DISK_BYTES = env.int("RUNYARD_FREE_DISK_MIB", default=100) * MIB
"""With less free where data lies, /ready says so."""
SLOW_CLIENT_S = env.int("RUNYARD_SLOW_CLIENT_S", default=60)
TICKET_UPLOAD_S = env.int("RUNYARD_TICKET_UPLOAD_S", default=24 * 3600)
TICKET_DOWNLOAD_S = env.int("RUNYARD_TICKET_DOWNLOAD_S", default=3600)
DATA_UPLOAD_MAX_MEMORY_SIZE = GRAPHQL_MAX_BYTES
AUDIT_DAYS = env.int("RUNYARD_AUDIT_DAYS", default=0)
"""How long entries of the audit log are kept; 0 is for ever."""

API_RATE = env.int("RUNYARD_API_RATE", default=3000)
"""Requests to the REST API that a key, person or address has in a minute; 0 is no limit."""
GRAPHQL_RATE = env.int("RUNYARD_GRAPHQL_RATE", default=30_000)
"""As API_RATE, for /graphql: one key starts and follows thousands of runs."""
RUN_POST_RATE = env.int("RUNYARD_RUN_POST_RATE", default=50)
"""Posts of lines that one run makes in a second, on average over ten, to one web process; 0 is no limit."""
PROJECT_POST_RATE = env.int("RUNYARD_PROJECT_POST_RATE", default=500)
"""As RUN_POST_RATE, of all runs of a project."""

ALERT_GATHER_S = env.int("RUNYARD_ALERT_GATHER_S", default=10)
"""How long a message waits for more that belongs to it; six times that at most."""
ALERT_HISTORY_DAYS = env.int("RUNYARD_ALERT_HISTORY_DAYS", default=30)
AUTOMATIONS_MOST = env.int("RUNYARD_AUTOMATIONS_MOST", default=100)
"""Automations that a project may have, and a team for all its projects besides."""
