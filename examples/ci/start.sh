#!/usr/bin/env bash
# Starts the identity provider of the tarball in the first argument, and waits at most 60 seconds for it.
set -euo pipefail
set -a
. ./test.env
set +a
DATA_DIR=$(mktemp -d) PORT=${AUTH_URL##*:} REGISTRATIONS=registrations.json LAB=on LAB_CLIENT_SECRET=$CLIENT_SECRET HTTPS_PORT=off \
  npx --yes -p "$1" greeting-identity-provider >identity-provider.log 2>&1 &
echo $! >identity-provider.pid
curl -fs --retry 60 --retry-delay 1 --retry-connrefused --retry-max-time 60 -o /dev/null "$AUTH_URL/readyz" || {
  cat identity-provider.log >&2
  exit 1
}
