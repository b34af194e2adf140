#!/usr/bin/env bash
# The MCP SDK for Python calls the tools of a server behind the guard.
source "$(dirname "$0")/../shell.sh"
install_python_packages
register_mcp_client

section A secret
python "$program/program.py" secret

section A private key
python "$program/program.py" key

section Without the setting MCP_CLIENTS
without_mcp_clients
python "$program/program.py" secret
python "$program/program.py" key
