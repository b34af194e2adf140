# Functions of the scripts in the folders beside it. Standard output is the transcript that is compared.
set -euo pipefail
program=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)

# Ends the script when a command is missing.
require() {
  for command in "$@"; do
    command -v "$command" >/dev/null || leave_out "$command is not installed"
  done
}

# Ends the script with the reason why the program cannot run here.
leave_out() {
  echo "$1" >&2
  exit 77
}

# Installs the packages of requirements.txt into a virtual environment, and puts it first in the path.
# Ends the script when pip, or a package for this platform, is missing.
install_python_packages() {
  require python3
  local venv="$CACHE/$(basename "$program")" output missing
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" >&2 || leave_out 'python3 -m venv cannot install pip'
  if ! cmp -s "$program/requirements.txt" "$venv/installed.txt"; then
    output=$("$venv/bin/pip" install --quiet --disable-pip-version-check -r "$program/requirements.txt" 2>&1) || {
      echo "$output" >&2
      missing=$(grep -o 'No matching distribution found for .*' <<<"$output") || exit 1
      leave_out "pip: $missing"
    }
    cp "$program/requirements.txt" "$venv/installed.txt"
  fi
  export PATH="$venv/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
}

# Installs packages of npm, and puts their commands first in the path: install_npm_packages NAME@VERSION...
install_npm_packages() {
  require node npm
  local tool="$CACHE/$(basename "$program")"
  if [ "$(cat "$tool/installed.txt" 2>/dev/null)" != "$*" ]; then
    NODE_EXTRA_CA_CERTS="$MACHINE_CA_CERTS" npm install --prefix "$tool" --ignore-scripts --no-audit --no-fund --silent "$@" >&2
    echo "$*" >"$tool/installed.txt"
  fi
  export PATH="$tool/node_modules/.bin:$PATH" NODE_PATH="$tool/node_modules"
}

# Waits for a row in the log of a process, and sets logged to it: until_logged FILE PATTERN PROCESS
until_logged() {
  for _ in $(seq 600); do
    ! logged=$(grep -s -m 1 -E "$2" "$1") || return 0
    kill -0 "$3" 2>/dev/null || break
    sleep 0.1
  done
  echo "$1 has no row $2" >&2
  cat "$1" >&2
  exit 1
}

# Starts a server behind the guard, and sets PORT: serve_guarded '{"/path": "text"}'
serve_guarded() {
  node "$program/../guarded-server.ts" "$1" >guarded.log 2>&1 &
  processes+=($!)
  until_logged guarded.log '^[0-9]+$' $!
  export PORT=$logged
}

# Prints a file with the values of variables in place of ${NAME}: place_variables FILE NAME...
place_variables() {
  local text=$(<"$1") name
  for name in "${@:2}"; do text=${text//"\${$name}"/${!name}}; done
  printf '%s\n' "$text"
}

# Prints a port that no program uses.
free_port() { node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'; }

# Prints a heading.
section() { printf '\n# %s\n' "$*"; }

# Runs a command that must fail, and prints the rows of its error that match a pattern.
refused() {
  local pattern=$1 error
  shift
  if error=$("$@" 2>&1 >/dev/null); then
    echo "expected a refusal: $1" >&2
    exit 1
  fi
  grep -oE "$pattern" <<<"$error" | head -1 || { echo "another refusal: $error" >&2; exit 1; }
}

# Calls the greeting API with a token from standard input, and prints the status and the body.
call_hi() {
  local token
  token=$(cat)
  printf 'authorization: Bearer %s' "$token" | curl -sS -H @- -w ' %{http_code}\n' "$BASE_URL/api/v1/hi"
}

# Prints a member of the JSON on standard input: member .appId
member() { node -e 'console.log(process.argv[1].slice(1).split(".").reduce((value, name) => value[name], JSON.parse(require("node:fs").readFileSync(0, "utf8"))))' "$1"; }

# Prints the sorted roles of the token on standard input.
roles() { node -e 'console.log((JSON.parse(Buffer.from(require("node:fs").readFileSync(0, "utf8").split(".")[1], "base64url")).roles ?? []).sort().join(" ") || "no roles")'; }

# Settings of every Go build.
export GOCACHE="$CACHE/go-build" GOMODCACHE="$CACHE/go-mod" GOFLAGS=-modcacherw

# Builds the Go module of the program, with flags. go.sum has the hashes of its dependencies.
build_go_program() {
  require go
  (cd "$program" && nice go build "$@" -o "$CACHE/$(basename "$program")" .) >&2
}

# Builds a command from the source of its Go module, unless it is there: build_go_command FILE MODULE@VERSION PACKAGE [FLAG...]
build_go_command() {
  local file=$1 module=$2 package=$3 source="$1.source"
  shift 3
  [ ! -x "$file" ] || return 0
  require go
  rm -rf "$source"
  mkdir -p "$source"
  # A module with replacements builds only as the main module, so outside the module cache.
  cp -r "$(go mod download -json "$module" | member .Dir)/." "$source"
  rm -rf "$source/vendor"
  (cd "$source" && nice go build -mod=mod "$@" -o "$file" "$package") >&2
  rm -rf "$source"
}

# Leads the host names of hosts.txt to the server, for the program only: an installation needs its own hosts.
lead_hosts() { export HTTPS_PROXY="$HOSTS_PROXY" NO_PROXY=localhost,127.0.0.1 SSL_CERT_FILE="$NODE_EXTRA_CA_CERTS"; }

# Requests a token with the secret on standard input, and prints the response: token_response CLIENT RESOURCE
token_response() {
  curl -sS --cacert "$NODE_EXTRA_CA_CERTS" "$HTTPS_AUTH_URL/$TENANT_ID/oauth2/v2.0/token" -d grant_type=client_credentials \
    -d "client_id=$1" --data-urlencode client_secret@- -d "scope=$2/.default"
}

# Sends a request to Microsoft Graph as the administrator: graph PATH [CURL ARGUMENT...]
graph() {
  local path=$1 token
  shift
  token=$(printf %s "$ADMINISTRATOR_SECRET" | token_response "$ADMINISTRATOR_ID" https://graph.microsoft.com | member .access_token)
  printf 'authorization: Bearer %s' "$token" | curl -sS --fail-with-body -H @- \
    --cacert "$NODE_EXTRA_CA_CERTS" -H 'content-type: application/json' "$HTTPS_AUTH_URL/v1.0/$path" "$@"
}

# Prints the ID of an app role of the service principal on standard input: role_id VALUE
role_id() { node -e 'console.log(JSON.parse(require("node:fs").readFileSync(0, "utf8")).appRoles.find(({ value }) => value === process.argv[1]).id)' "$1"; }

# Assigns an app role, and prints the ID of the assignment: assign_role PRINCIPAL RESOURCE ROLE
assign_role() {
  graph "servicePrincipals/$1/appRoleAssignments" \
    -d "{\"principalId\":\"$1\",\"resourceId\":\"$2\",\"appRoleId\":\"$3\"}" | member .id
}

# Withdraws all app roles of the client.
withdraw_consent() {
  local assignments="servicePrincipals(appId='$CLIENT_ID')/appRoleAssignments" id
  graph "$assignments" | node -e 'for (const { id } of JSON.parse(require("node:fs").readFileSync(0, "utf8")).value) console.log(id)' |
    while read -r id; do graph "$assignments/$id" -X DELETE; done
}

# Registers a blueprint with a secret and certificate.pem, and two agent identities. The first one may call the API.
# Sets BLUEPRINT, BLUEPRINT_SECRET, AGENT and SIBLING.
register_agents() {
  local type=microsoft.graph.agentIdentity parts key api
  local sponsors='"sponsors@odata.bind":["https://graph.microsoft.com/v1.0/users/11111111-2222-4333-8444-555555555555"]'
  BLUEPRINT=$(graph "applications/${type}Blueprint" -d "{\"displayName\":\"agents\",$sponsors}" | member .appId)
  graph "servicePrincipals/${type}BlueprintPrincipal" -d "{\"appId\":\"$BLUEPRINT\"}" >/dev/null
  parts="applications/$BLUEPRINT/${type}Blueprint"
  BLUEPRINT_SECRET=$(graph "$parts/addPassword" -d '{"passwordCredential":{"displayName":"first"}}' | member .secretText)
  key=$(openssl x509 -in certificate.pem -outform der | base64 | tr -d '\n')
  graph "applications(appId='$BLUEPRINT')" -X PATCH \
    -d "{\"keyCredentials\":[{\"type\":\"AsymmetricX509Cert\",\"usage\":\"Verify\",\"key\":\"$key\"}]}"
  new_agent() {
    graph "servicePrincipals/$type" -d "{\"displayName\":\"$1\",\"agentIdentityBlueprintId\":\"$BLUEPRINT\",$sponsors}" | member .id
  }
  AGENT=$(new_agent agent)
  SIBLING=$(new_agent sibling)
  api=$(graph "servicePrincipals(appId='$API_APPLICATION_ID')")
  assign_role "$AGENT" "$(member .id <<<"$api")" "$(role_id CallHiApiRole <<<"$api")" >/dev/null
  export BLUEPRINT BLUEPRINT_SECRET AGENT SIBLING
}

# Registers the certificate of a new key in key.pem for the client, lists the URL of the MCP server, and takes one role away.
register_mcp_client() {
  require openssl curl node
  local role key
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=client -days 30 -keyout key.pem -out certificate.pem 2>/dev/null
  key=$(openssl x509 -in certificate.pem -outform der | base64 | tr -d '\n')
  graph "applications(appId='$CLIENT_ID')" -X PATCH \
    -d "{\"keyCredentials\":[{\"type\":\"AsymmetricX509Cert\",\"usage\":\"Verify\",\"key\":\"$key\"}]}"
  graph "applications(appId='$API_APPLICATION_ID')" -X PATCH \
    -d "{\"identifierUris\":[\"api://$API_APPLICATION_ID\",\"$MCP_URL\"]}"
  role=$(graph "servicePrincipals(appId='$API_APPLICATION_ID')" | role_id CallHelloApiRole)
  graph "servicePrincipals(appId='$CLIENT_ID')/appRoleAssignments/$(graph "servicePrincipals(appId='$CLIENT_ID')/appRoleAssignments" |
    node -e 'console.log(JSON.parse(require("node:fs").readFileSync(0, "utf8")).value.find(({ appRoleId }) => appRoleId === process.argv[1]).id)' "$role")" -X DELETE
}

# Continues with the system that has the setting MCP_CLIENTS off, as Entra ID is.
without_mcp_clients() {
  set -a
  source "$WITHOUT_CLIENT_ENV"
  set +a
  export MCP_URL="$WITHOUT_MCP_URL"
}

# Prints the refusal in the response on standard input.
refusal() { member .error_description | grep -oE 'AADSTS[0-9]+: [^.]+'; }

# The Graph SDK for Go is compiled without optimization, as its models take many minutes otherwise.
graph_sdk_flags='-gcflags=github.com/microsoftgraph/msgraph-sdk-go/...=-N -l'

# Packs the identity provider, runs the jobs of a language in examples/ci with it, and prints the rows of their tests that
# match a pattern: ci_jobs LANGUAGE PATTERN
ci_jobs() {
  require npm curl
  local root="$program/../../.."
  (cd "$root" && nice node tools/build/main.ts) >&2
  npm pack --silent --pack-destination "$PWD" "$root/services/identity-provider/dist" >&2
  NODE_EXTRA_CA_CERTS=${MACHINE_CA_CERTS:-} \
    node "$program/../ci-job.ts" "$1" "$(ls "$PWD"/greeting-identity-provider-*.tgz)" >jobs.log || { cat jobs.log >&2; exit 1; }
  grep -oE "^# .*yml$|$2" jobs.log
}
