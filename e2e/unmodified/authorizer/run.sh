#!/usr/bin/env bash
# Each proxy asks the authorizer about requests to an API in Python, which checks no token.
source "$(dirname "$0")/../shell.sh"
missing=$(for one in nginx haproxy caddy traefik envoy python3 curl; do command -v "$one" >/dev/null || printf '%s ' "$one"; done)
[ -z "$missing" ] || leave_out "not installed: $missing"
token_for() { printf %s "$CLIENT_SECRET" | token_response "$CLIENT_ID" "$1" | member .access_token; }
good=$(token_for "api://$API_APPLICATION_ID")
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true' EXIT
free_port() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'; }
until_open() { for _ in $(seq 100); do (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; sleep 0.1; done; echo "port $1 is closed" >&2; exit 1; }
api_port=$(free_port)
python3 "$program/api.py" "$api_port" >&2 & processes+=($!)
until_open "$api_port"

# Sends a request with the path as it is, and prints status and body: ask WHAT METHOD PATH [CURL ARGUMENT...]
ask() {
  local what=$1 method=$2 path=$3
  shift 3
  printf '%-32s ' "$what"
  curl -sS -m 5 --path-as-is -X "$method" -w ' %{http_code}' "http://127.0.0.1:$port/" --request-target "$path" "$@" 2>/dev/null |
    tr -d '\n' | sed -E "s/$CLIENT_ID/CLIENT/g; s/(tenant-id|object-id)=[^ ]*/\1=ID/g; s/<html>.*<\/html>/(a page)/"
  echo
}
with=(-H "authorization: Bearer $good")
check() {
  ask 'a role' GET /orders/7 "${with[@]}"
  ask 'a body' POST /orders "${with[@]}" -d tea
  ask 'public' GET /open
  ask 'no token' GET /orders/7
  ask 'no role' GET /admin "${with[@]}"
  ask 'no rule' GET /nothing "${with[@]}"
  ask 'no rule for the method' DELETE /orders "${with[@]}"
  ask 'encoded slash' GET /open%2f..%2fadmin
  ask 'dot segments' GET /open/../admin
  ask 'encoded dot segments' GET /open/%2e%2e/admin
  ask 'double slash' GET //open
  ask 'another case' GET /OPEN
  ask 'parameter' GET '/open;x/admin'
  ask 'encoded letter' GET /%61dmin
  ask 'own X-Caller-Roles' GET /open -H 'X-Caller-Roles: Admin' -H 'x-caller-application-id: me'
  ask 'own X_Caller_Roles' GET /open -H 'X_Caller_Roles: Admin'
  ask 'own original request' GET /admin -H 'X-Original-URI: /open' -H 'X-Forwarded-Uri: /open' -H 'X-Original-Method: GET' -H 'X-Forwarded-Method: GET'
  ask 'two tokens' GET /orders/7 "${with[@]}" -H 'authorization: Bearer x'
  ask 'upgrade without a token' GET /ws -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='
}
start_proxy() {
  case $1 in
    nginx) exec nginx -p "$PWD" -c "$PWD/nginx.conf" ;;
    haproxy) exec haproxy -f haproxy.cfg ;;
    caddy) exec caddy run --config Caddyfile --adapter caddyfile ;;
    traefik) exec traefik --configFile="$PWD/traefik.yaml" ;;
    envoy) exec envoy -c envoy.yaml --use-dynamic-base-id --concurrency 1 -l warning ;;
  esac
}
for proxy in nginx haproxy caddy traefik envoy; do
  port=$(free_port) authorizer_port=$(free_port)
  for file in "$program"/{nginx.conf,haproxy.cfg,authorize.lua,Caddyfile,traefik.yaml,traefik-routes.yaml,envoy.yaml}; do
    sed "s|\${FOLDER}|$PWD|g; s|\${PORT}|$port|g; s|\${AUTHORIZER_PORT}|$authorizer_port|g; s|\${API_PORT}|$api_port|g" "$file" >"$(basename "$file")"
  done
  ISSUER_URL=$AUTH_URL "$(dirname "$program")/../../cli/bin/greeting.js" authorize --rules "$program/rules.json" --proxy $proxy --port "$authorizer_port" >&2 &
  authorizer=$!
  processes+=($authorizer)
  until_open "$authorizer_port"
  start_proxy $proxy >&2 & processes+=($!)
  until_open "$port"
  # Traefik opens its port before it has routes.
  for _ in $(seq 100); do curl -sf "http://127.0.0.1:$port/open" >/dev/null && break; sleep 0.1; done
  section "$proxy"
  check
  kill $authorizer; wait $authorizer || true
  ask 'the authorizer is gone' GET /open
done
