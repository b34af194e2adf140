#!/usr/bin/env bash
# Prometheus scrapes a target behind the guard with tokens of its own.
source "$(dirname "$0")/../shell.sh"
require curl node
export GOWORK=off
build_go_command "$CACHE/prometheus" github.com/prometheus/prometheus@v0.316.0 ./cmd/prometheus -tags remove_all_sd
unset SSL_CERT_FILE
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true' EXIT
serve_guarded '{"/metrics":"orders 1\n"}'
umask 077
printf %s "$CLIENT_SECRET" >secret
printf %s wrong >wrong
place_variables "$program/prometheus.yml" CLIENT_ID HTTPS_AUTH_URL TENANT_ID API_APPLICATION_ID NODE_EXTRA_CA_CERTS PORT >prometheus.yml

# Starts Prometheus, and prints the state of each target after its first scrape.
targets() {
  : >prometheus.log
  "$CACHE/prometheus" --config.file=prometheus.yml --storage.tsdb.path="$(mktemp -d -p .)" --web.listen-address=127.0.0.1:0 2>prometheus.log &
  local prometheus=$!
  processes+=($prometheus)
  until_logged prometheus.log 'Listening on' $prometheus
  node -e '
    const url = `http://${process.argv[1]}/api/v1/targets`
    const active = async () => (await (await fetch(url)).json()).data.activeTargets
    const isPending = ({ health }) => health === "unknown"
    let all = await active()
    for (; all.length < 6 || all.some(isPending); all = await active()) await new Promise((resolve) => setTimeout(resolve, 100))
    for (const { labels, health, lastError } of all) {
      const [said] = /AADSTS\d+: [^.]+|x509: .*|HTTP status .*/.exec(lastError) ?? [lastError]
      console.log(`${labels.job}: ${health} ${said}`)
    }' "$(grep -oE '127.0.0.1:[0-9]+' <<<"$logged")"
  kill $prometheus
}

section Targets
targets

section A withdrawn consent
withdraw_consent
targets
