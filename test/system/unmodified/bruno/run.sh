#!/usr/bin/env bash
# Bruno requests a token by its auth mode OAuth 2.0, and calls the greeting API.
source "$(dirname "$0")/../shell.sh"
install_npm_packages @usebruno/cli@4.1.0
cp "$program/bruno.json" "$program/hi.bru" .

# Sends the request with a secret, and prints the fault of the token and the response: hi SECRET [ARGUMENT...]
hi() {
  CLIENT_SECRET=$1 env -u NODE_EXTRA_CA_CERTS bru run hi.bru --reporter-json run.json "${@:2}" >bruno.log 2>&1 || true
  grep -o 'token fetch error: [^;]*' bruno.log || true
  node -e '
    const [{ results: [{ response, error }] }] = JSON.parse(require("node:fs").readFileSync("run.json", "utf8"))
    console.log(response.status, error?.split(";")[0] ?? JSON.stringify(response.data))'
}
ca=(--cacert "$NODE_EXTRA_CA_CERTS")

section A token
hi "$CLIENT_SECRET" "${ca[@]}"

section A wrong secret
hi wrong "${ca[@]}"

section Without the authority
hi "$CLIENT_SECRET"

section A withdrawn consent
withdraw_consent
hi "$CLIENT_SECRET" "${ca[@]}"
