#!/usr/bin/env bash
# MSAL for Python obtains tokens by secret and by certificate, also for agent identities.
source "$(dirname "$0")/../shell.sh"
require openssl node curl
install_python_packages
export REQUESTS_CA_BUNDLE="$NODE_EXTRA_CA_CERTS"
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=client -days 30 -keyout key.pem -out certificate.pem 2>/dev/null
register_agents
python "$program/program.py"
