# Functions of the scripts in the folders beside it. Standard output is the transcript that is compared.
set -euo pipefail
program=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)

# Ends the script when a command is missing.
require() {
  for command in "$@"; do
    command -v "$command" >/dev/null || { echo "$command is not installed" >&2; exit 77; }
  done
}

# Installs the packages of requirements.txt into a virtual environment, and puts it first in the path.
install_python_packages() {
  require python3
  local venv="$CACHE/$(basename "$program")"
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" >&2
  if ! cmp -s "$program/requirements.txt" "$venv/installed.txt"; then
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$program/requirements.txt" >&2
    cp "$program/requirements.txt" "$venv/installed.txt"
  fi
  export PATH="$venv/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
}

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

# Builds the Go module of the program. go.sum has the hashes of its dependencies.
build_go_program() {
  require go
  export GOCACHE="$CACHE/go-build" GOMODCACHE="$CACHE/go-mod" GOFLAGS=-modcacherw
  (cd "$program" && nice go build -o "$CACHE/$(basename "$program")" .) >&2
}
