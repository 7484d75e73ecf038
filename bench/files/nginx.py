"""nginx with a folder that files are PUT into and read from: what the machine can do, with nothing recorded."""

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Self

from tests.ports import free_port

_CONFIG = """
{user}worker_processes auto;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
daemon off;
events {{ worker_connections 256; }}
http {{
  access_log off;
  sendfile on;
  client_max_body_size 0;
  client_body_temp_path {folder}/incoming;
  proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/files;
    location / {{ dav_methods PUT; create_full_put_path on; }}
  }}
}}
"""


class Nginx:
    """Runs while it is entered.

    Raises:
        RuntimeError: there is none on this machine, or it does not start.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()

    def __enter__(self) -> Self:
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
        if program is None:
            raise RuntimeError("nginx is not installed here; it is what throughput is compared with")
        (self._folder / "files").mkdir(parents=True)
        config = self._folder / "nginx.conf"
        user = "user root;\n" if os.geteuid() == 0 else ""
        config.write_text(_CONFIG.format(user=user, folder=self._folder, port=self.port))
        errors = (self._folder / "start.log").open("wb")
        with errors:
            self._process = subprocess.Popen(
                [program, "-p", str(self._folder), "-c", str(config)], stderr=errors
            )
        time.sleep(1)
        if self._process.poll() is not None:
            raise RuntimeError(f"nginx does not start: {(self._folder / 'start.log').read_text()}")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
