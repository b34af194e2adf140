#!/usr/bin/env bash
# newman sends the requests of a Postman collection: one for a token, and others for the greeting API.
source "$(dirname "$0")/../shell.sh"
install_npm_packages newman@6.2.2

# Runs the collection with a secret, and prints each response without the token: collection SECRET [ARGUMENT...]
collection() {
  CLIENT_SECRET=$1 node -p 'JSON.stringify({ values: Object.entries(process.env).map(([key, value]) => ({ key, value })) })' |
    (umask 077; cat >environment.json)
  env -u NODE_EXTRA_CA_CERTS newman run "$program/collection.json" -e environment.json -r json --reporter-json-export run.json "${@:2}" >&2 || true
  node -e '
    const { run } = JSON.parse(require("node:fs").readFileSync("run.json", "utf8"))
    for (const { item, response, requestError } of run.executions) {
      const text = Buffer.from(response?.stream ?? []).toString()
      const [said] = /AADSTS\d+: [^.]+/.exec(text) ?? [text.includes("access_token") ? "a token" : text]
      console.log(`${item.name}: ${requestError?.code ?? `${response.code} ${said}`}`)
    }'
}
ca=(--ssl-extra-ca-certs "$NODE_EXTRA_CA_CERTS")

section A token
collection "$CLIENT_SECRET" "${ca[@]}"

section A wrong secret
collection wrong "${ca[@]}"

section Without the authority
collection "$CLIENT_SECRET"

section A withdrawn consent
withdraw_consent
collection "$CLIENT_SECRET" "${ca[@]}"
