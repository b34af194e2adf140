#!/usr/bin/env bash
# azidentity and MSAL for Go obtain tokens by secret and by certificate.
source "$(dirname "$0")/../shell.sh"
build_go_program
export SSL_CERT_FILE="$NODE_EXTRA_CA_CERTS"
"$CACHE/azidentity-go"
