#!/usr/bin/env bash
# Starts the identity provider, and waits at most 60 seconds for it: start.sh PACKAGE, or start.sh --image IMAGE.
# Its process ID is then in identity-provider.pid, and its log in identity-provider.log.
set -euo pipefail
set -a
. ./test.env
LAB=on LAB_CLIENT_SECRET=$CLIENT_SECRET HTTPS_PORT=off
port=${AUTH_URL##*:}
if [ "$1" = --image ]; then
  docker image inspect "$2" >/dev/null 2>&1 || docker pull "$2"
  # Names without values are taken from the environment, so that the secret is no argument.
  set -- docker run --rm --publish "127.0.0.1:$port:4000" --volume "$PWD/registrations.json:/registrations.json:ro" \
    --env REGISTRATIONS=/registrations.json --env LAB_ANY_ADDRESS=yes --env LAB --env LAB_CLIENT_SECRET \
    --env TENANT_ID --env AUTH_URL --env ISSUER_URL="$AUTH_URL" "$2"
else
  folder=$(mktemp -d)
  npm install --no-audit --no-fund --prefix "$folder" "$1"
  # The job may have the first two for its own server.
  HOST= DATABASE_URL= PORT=$port DATA_DIR=$folder/data REGISTRATIONS=registrations.json
  set -- "$folder/node_modules/.bin/greeting-identity-provider"
  [ -x "$1" ] || { echo "This package is not the identity provider. Pack services/identity-provider/dist." >&2; exit 1; }
fi
began=$SECONDS
"$@" >identity-provider.log 2>&1 &
echo $! >identity-provider.pid
trap 'kill $! 2>/dev/null || true; wait $! || true; cat identity-provider.log >&2
  echo "The identity provider did not start. AUTH_URL in test.env has its port." >&2; exit 1' EXIT
until curl -fs -o /dev/null "$AUTH_URL/readyz" && grep -q '"msg":"listening"' identity-provider.log; do
  kill -0 $! 2>/dev/null && [ $((SECONDS - began)) -lt 60 ] || exit 1
  sleep 0.2
done
trap - EXIT
