#!/usr/bin/env bash
# The standard library of .NET tests a client with the lab.
source "$(dirname "$0")/../shell.sh"
require dotnet
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
dotnet build "$program/lab-dotnet.csproj" --output "$PWD/out" --property:BaseIntermediateOutputPath="$PWD/obj/" >&2
dotnet "$PWD/out/lab-dotnet.dll"
