#!/usr/bin/env bash
# Each proxy asks the authorizer about requests to APIs in Python, Go and PHP, which check no token.
source "$(dirname "$0")/../shell.sh"
missing=$(for one in nginx haproxy caddy traefik envoy python3 go php curl; do command -v "$one" >/dev/null || printf '%s ' "$one"; done)
[ -z "$missing" ] || leave_out "not installed: $missing"
token_for() { printf %s "$CLIENT_SECRET" | token_response "$CLIENT_ID" "$1" | member .access_token; }
good=$(token_for "api://$API_APPLICATION_ID")
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true' EXIT
until_open() { for _ in $(seq 100); do (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; sleep 0.1; done; echo "port $1 is closed" >&2; exit 1; }
build_go_program
python_port=$(free_port) go_port=$(free_port) php_port=$(free_port)
python3 "$program/api.py" "$python_port" >&2 & processes+=($!)
"$CACHE/authorizer" "$go_port" >&2 & processes+=($!)
php -S "127.0.0.1:$php_port" "$program/api.php" >php.log 2>&1 & processes+=($!)
until_open "$php_port"
until_open "$python_port"
until_open "$go_port"

# Sends a request with the path as it is, and prints status and body: ask WHAT METHOD PATH [CURL ARGUMENT...]
ask() {
  local what=$1 method=$2 path=$3
  shift 3
  printf '%-32s ' "$what"
  curl -sS -m 5 --path-as-is -X "$method" -w ' %{http_code}' "http://127.0.0.1:$port/" --request-target "$path" "$@" 2>/dev/null |
    tr -d '\n' | sed -E 's/<html>.*<\/html>/(a page)/' | named
  echo
}
named() { sed -E "s/$CLIENT_ID/CLIENT/g; s/(tenant-id|object-id)=[^ ]*/\1=ID/g"; }
# Opens a WebSocket with the token, sends a text, and prints the answer.
socket() {
  printf '%-32s ' "$1"
  TOKEN=$good node -e '
    const socket = new WebSocket(process.argv[1], { headers: { authorization: `Bearer ${process.env.TOKEN}` } })
    const end = (text) => { console.log(text); process.exit() }
    socket.onopen = () => socket.send("tea")
    socket.onmessage = ({ data }) => end(data)
    socket.onerror = () => end("no WebSocket")
    setTimeout(end, 5000, "no answer")' "ws://127.0.0.1:$port/ws" | named
}
# Sends another request on the connection of an upgrade that the API did not accept, and prints both statuses.
after_upgrade() {
  printf '%-32s ' "$1"
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET %s HTTP/1.1\r\nHost: %s\r\n%b\r\n' /open "127.0.0.1:$port" "$(printf '%s\\r\\n' "${upgrade[@]}")" /admin "127.0.0.1:$port" 'Connection: close\r\n' >&3
  { timeout 2 cat <&3 || true; } | grep -oa 'HTTP/1.1 [0-9]*' | cut -c10- | paste -sd ' '
  exec 3>&-
}
with=(-H "authorization: Bearer $good")
upgrade=('Connection: Upgrade' 'Upgrade: websocket' 'Sec-WebSocket-Version: 13' 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==')
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
  for name in X_Caller_Roles X.Caller.Roles X-Caller.Roles 'X~Caller~Roles' X.Caller.Application-Id; do
    ask "own $name" GET /open -H "$name: Admin"
    ask "own $name, a role" GET /orders/7 "${with[@]}" -H "$name: Admin"
  done
  for name in X-HTTP-Method-Override X-Method-Override X-HTTP-Method X-Original-URL X-Rewrite-URL X-Original-URI X-Forwarded-Prefix X_HTTP_Method_Override X.Rewrite.URL; do
    ask "$name" GET /open -H "$name: /admin"
  done
  ask 'own original request' GET /admin -H 'X-Original-URI: /open' -H 'X-Forwarded-Uri: /open' -H 'X-Original-Method: GET' -H 'X-Forwarded-Method: GET'
  ask 'headers named in Connection' GET /orders/7 "${with[@]}" -H 'Connection: X-Caller-Application-Id, X-Caller-Roles, X-Original-URI, X-Forwarded-Uri'
  ask 'two tokens' GET /orders/7 "${with[@]}" -H 'authorization: Bearer x'
  ask 'upgrade without a token' GET /ws "${upgrade[@]/#/-H}"
  socket 'upgrade'
  after_upgrade 'a request after an upgrade'
  http2=(-H 'Connection: Upgrade, HTTP2-Settings' -H 'HTTP2-Settings: AAMAAABk' -H 'Upgrade: h2c')
  ask 'upgrade to HTTP/2' GET /open "${http2[@]}"
  ask 'two upgrades' GET /open "${http2[@]}" "${upgrade[@]/#/-H}"
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
# Starts an authorizer at its port: authorize [ARGUMENT...]
authorize() {
  "$program/../../../cli/bin/greeting.js" authorize --rules "$program/rules.json" --proxy $proxy --port "$authorizer_port" "$@" >authorizer.log &
  authorizer=$!
  processes+=($authorizer)
  until_open "$authorizer_port"
}
end() { kill "$1"; wait "$1" || true; }
export ISSUER_URL=$AUTH_URL
for proxy in nginx haproxy caddy traefik envoy; do
  port=$(free_port) authorizer_port=$(free_port)
  authorize
  for api in go php python; do
    for file in "$program"/{nginx.conf,haproxy.cfg,authorize.lua,Caddyfile,traefik.yaml,traefik-routes.yaml,envoy.yaml}; do
      api_port=${api}_port
      sed "s|\${FOLDER}|$PWD|g; s|\${PORT}|$port|g; s|\${AUTHORIZER_PORT}|$authorizer_port|g; s|\${API_PORT}|${!api_port}|g" "$file" >"$(basename "$file")"
    done
    start_proxy $proxy >&2 & gateway=$!
    processes+=($gateway)
    until_open "$port"
    # Traefik opens its port before it has routes.
    for _ in $(seq 100); do curl -sf "http://127.0.0.1:$port/open" >/dev/null && break; sleep 0.1; done
    check >$api.txt
    [ $api = python ] || end $gateway
  done
  section "$proxy"
  cat python.txt
  for api in Go PHP; do
    diff --brief python.txt ${api,,}.txt >/dev/null && echo "an API in $api: the same answers" || diff python.txt ${api,,}.txt | sed -n "s/^> /an API in $api: /p" || true
  done
  end $authorizer
  ask 'the authorizer is gone' GET /open
  JWKS_URL=http://127.0.0.1:1 authorize
  ask 'the keys are gone' GET /orders/7 "${with[@]}"
  ask 'the keys are gone, public' GET /open
  end $authorizer
  authorize --trusted-proxies 192.0.2.1
  ask 'the proxy is not trusted' GET /open
  end $authorizer
  grep -o '"peer":.*' authorizer.log
  end $gateway
done
