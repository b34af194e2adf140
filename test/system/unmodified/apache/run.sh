#!/usr/bin/env bash
# Apache verifies tokens with mod_auth_openidc, and passes requests on to the greeting API.
source "$(dirname "$0")/../shell.sh"
require apt-get dpkg-deb curl node
PACKAGES="$CACHE/apache"
if [ ! -d "$PACKAGES/usr" ]; then
  mkdir -p "$PACKAGES"
  (cd "$PACKAGES" && apt-get download apache2-bin libapache2-mod-auth-openidc libcjose0 libhiredis0.14 libapr1 libaprutil1 liblua5.3-0) >&2 ||
    leave_out 'apt-get has no packages of Debian 12'
  for file in "$PACKAGES"/*.deb; do dpkg-deb -x "$file" "$PACKAGES"; done
fi
# As root, Apache reads files as another user.
chmod 711 .
install -m 644 "$NODE_EXTRA_CA_CERTS" authority.pem
PORT=$(free_port) FOLDER=$PWD AUTHORITY="$PWD/authority.pem" KEYS_URL="$HTTPS_AUTH_URL/$TENANT_ID/discovery/keys"
ISSUER="$AUTH_URL/$TENANT_ID/" AUDIENCE="api://$API_APPLICATION_ID"
place_variables "$program/apache.conf" PACKAGES PORT FOLDER KEYS_URL AUTHORITY BASE_URL ISSUER AUDIENCE >apache.conf
LD_LIBRARY_PATH=$(echo "$PACKAGES"/usr/lib/*-linux-gnu) "$PACKAGES/usr/sbin/apache2" -f "$PWD/apache.conf" -DFOREGROUND >&2 &
apache=$!
trap 'kill $apache 2>/dev/null || true' EXIT
until_logged error.log 'resuming normal operations' $apache

# Calls the greeting API through Apache with the token on standard input, and prints the text and the status.
through_apache() {
  local token
  token=$(cat)
  printf '%s' "${token:+authorization: Bearer $token}" |
    curl -sS -H @- -w ' %{http_code}' "http://127.0.0.1:$PORT/api/v1/hi" | sed -z -E 's/<!DOCTYPE.*<\/html>\n?/(a page of Apache)/; s/$/\n/'
}
token_for() { printf %s "$CLIENT_SECRET" | token_response "$CLIENT_ID" "$1" | member .access_token; }

section A token
token_for "$AUDIENCE" | through_apache

section Refusals
through_apache </dev/null
token_for "$AUDIENCE" | sed -E 's/[^.]+$/AAAA/' | through_apache
token_for https://storage.azure.com | through_apache

section A withdrawn consent
withdraw_consent
token_for "$AUDIENCE" | through_apache
