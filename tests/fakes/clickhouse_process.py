"""Serve ClickHouse out of the library that its npm package has: ``python clickhouse_process.py LIBRARY ARGUMENT…``.

No package index has its server. `chdb_query_cmdline` is clickhouse-local, which can be told to listen; it lacks users,
Keeper and replicated tables. Runs until it is killed; what is stored below ``--path`` survives.
"""

import ctypes
import os
import sys

LISTEN = (
    "SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; SELECT sleepEachRow(1) FROM numbers(1000000000)"
    " SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 100000000000 FORMAT Null"
)


def main() -> None:
    """Serve."""
    library = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW | os.RTLD_DEEPBIND)
    arguments = [b"clickhouse", *map(str.encode, sys.argv[2:]), b"--multiquery", b"--query", LISTEN.encode()]
    run, error_of = library.chdb_query_cmdline, library.chdb_result_error
    run.argtypes, run.restype = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)], ctypes.c_void_p
    error_of.argtypes, error_of.restype = [ctypes.c_void_p], ctypes.c_char_p
    error = error_of(run(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments)))
    sys.exit(error.decode(errors="replace")[:2000] if error else 0)


if __name__ == "__main__":
    main()
