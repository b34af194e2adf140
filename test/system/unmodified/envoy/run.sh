#!/usr/bin/env bash
# Envoy verifies tokens with the keys of the identity provider, and calls the greeting API. Both connections have TLS.
source "$(dirname "$0")/../shell.sh"
require curl node
install_python_packages
api="api://$API_APPLICATION_ID"

# Writes the configuration with the values of this run.
ISSUER="$AUTH_URL/$TENANT_ID/" AUDIENCE=$api KEYS_URL="$HTTPS_AUTH_URL/$TENANT_ID/discovery/keys" AUTHORITY=$NODE_EXTRA_CA_CERTS
AUTH_PORT=${HTTPS_AUTH_URL##*:} API_PORT=${HTTPS_BASE_URL##*:}
place_variables "$program/envoy.yaml" ISSUER AUDIENCE KEYS_URL AUTH_PORT API_PORT AUTHORITY >envoy.yaml

envoy -c envoy.yaml --admin-address-path admin.txt --use-dynamic-base-id --concurrency 1 -l warning >&2 &
envoy=$!
trap 'kill $envoy 2>/dev/null && wait $envoy || true' EXIT
for _ in $(seq 300); do
  [ ! -s admin.txt ] || break
  kill -0 $envoy
  sleep 0.1
done
port=$(curl -sS --fail "http://$(<admin.txt)/listeners?format=json" | member .listener_statuses.0.local_address.socket_address.port_value)

# Calls the greeting API through Envoy with the token on standard input, and prints the status and the body.
through_envoy() {
  local token
  token=$(cat)
  printf '%s' "${token:+authorization: Bearer $token}" |
    curl -sS -H @- -w ' %{http_code}\n' "http://127.0.0.1:$port${1:-}/api/v1/hi"
}
token_for() { printf %s "$CLIENT_SECRET" | token_response "$CLIENT_ID" "$1" | member .access_token; }
token=$(token_for "$api")

section A token
through_envoy <<<"$token"

section Refusals
through_envoy </dev/null
signature=${token##*.}
through_envoy <<<"${token%.*}.$(tr A-Za-z B-ZAb-za <<<"${signature:0:20}")${signature:20}"
token_for https://graph.microsoft.com | through_envoy

section A withdrawn consent
assignments="servicePrincipals(appId='$CLIENT_ID')/appRoleAssignments"
for assignment in $(graph "$assignments" | grep -o '"id":"[^"]*' | cut -d '"' -f 4); do
  graph "$assignments/$assignment" -X DELETE
done
token_for "$api" | through_envoy

section Without sni
through_envoy /keys-without-sni <<<"$token"
through_envoy /api-without-sni <<<"$token"
