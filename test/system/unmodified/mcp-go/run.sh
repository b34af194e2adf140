#!/usr/bin/env bash
# The MCP SDK for Go calls the tools of a server behind the guard.
source "$(dirname "$0")/../shell.sh"
build_go_program
register_mcp_client

section A secret
"$CACHE/mcp-go"

section Without the setting MCP_CLIENTS
without_mcp_clients
"$CACHE/mcp-go"
