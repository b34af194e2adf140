#!/usr/bin/env bash
# Microsoft Graph SDK and azidentity for Go register an API and a client.
source "$(dirname "$0")/../shell.sh"
build_go_program "$graph_sdk_flags"
export SSL_CERT_FILE="$NODE_EXTRA_CA_CERTS"
"$CACHE/graph-sdk-go"
