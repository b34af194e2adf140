#!/usr/bin/env bash
# PyIceberg lists the namespaces of a REST catalog behind the guard.
source "$(dirname "$0")/../shell.sh"
require node curl
install_python_packages
export COLUMNS=1000 REQUESTS_CA_BUNDLE="$NODE_EXTRA_CA_CERTS" TOKEN_URL="$HTTPS_AUTH_URL/$TENANT_ID/oauth2/v2.0/token"
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true' EXIT
serve_guarded '{"/v1/config": "{\"defaults\":{},\"overrides\":{}}", "/v1/namespaces": "{\"namespaces\":[[\"orders\"]]}"}'
umask 077
place_variables "$program/pyiceberg.yaml" PORT CLIENT_ID CLIENT_SECRET TOKEN_URL API_APPLICATION_ID >.pyiceberg.yaml

# Prints the namespaces of a catalog, or the error: list CATALOG
list() {
  printf '%s: ' "$1"
  pyiceberg --catalog "$1" list 2>&1 | grep -m 1 -oE '^orders$|AADSTS[0-9]+: [^.]+|RESTError [0-9]+|CERTIFICATE_VERIFY_FAILED' || true
}

section Namespaces
list credential
list auth

section Refusals
list wrong-secret
list another-api
list no-token
(unset REQUESTS_CA_BUNDLE; list credential)

section A withdrawn consent
withdraw_consent
list credential
list auth
