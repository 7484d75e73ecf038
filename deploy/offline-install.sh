#!/bin/sh
# Installs the server (or, by `agent`, the agent) of this folder into a new environment, without a network:
#   sh install.sh /opt/runyard
#   sh install.sh /opt/runyard-agent agent
set -eu
target=${1:?"Usage: sh install.sh FOLDER [agent]"}
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
what=${2:-server}
"${PYTHON:-python3}" -m venv "$target"
pip() { "$target/bin/python" -m pip --disable-pip-version-check --quiet install --no-index --find-links "$here/wheels" "$@"; }
case $what in
server)
	pip --no-deps --require-hashes --requirement "$here/requirements.txt"
	pip --no-deps "$here"/runyard-*.whl
	"$target/bin/runyard" version
	;;
agent)
	pip "$here"/runyard_agent-*.whl
	"$target/bin/runyard-agent" --version
	;;
*)
	echo "There is no $what here; there are server and agent." >&2
	exit 2
	;;
esac
