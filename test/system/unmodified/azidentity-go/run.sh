#!/usr/bin/env bash
# azidentity and MSAL for Go obtain tokens by secret and by certificate, also for agent identities.
source "$(dirname "$0")/../shell.sh"
require openssl node curl
build_go_program
export SSL_CERT_FILE="$NODE_EXTRA_CA_CERTS"
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=blueprint -days 30 -keyout key.pem -out certificate.pem 2>/dev/null
register_agents
"$CACHE/azidentity-go"
