#!/usr/bin/env bash
# Microsoft Graph SDK and azure-identity for Python register an API and a client.
source "$(dirname "$0")/../shell.sh"
install_python_packages
export REQUESTS_CA_BUNDLE="$NODE_EXTRA_CA_CERTS" SSL_CERT_FILE="$NODE_EXTRA_CA_CERTS"
python "$program/program.py"
