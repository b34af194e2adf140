#!/usr/bin/env bash
# The jobs of examples/ci verify tokens in a minimal API with JwtBearer.
source "$(dirname "$0")/../shell.sh"
require dotnet
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
ci_jobs dotnet '^with.*: [0-9]+$'
