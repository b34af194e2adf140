#!/usr/bin/env bash
# The Azure SDK for JavaScript stores blobs in Azurite, which checks issuer, audience and times of the tokens.
source "$(dirname "$0")/../shell.sh"
install_npm_packages azurite@3.37.0 @azure/identity@4.14.1 @azure/storage-blob@12.34.0
tls=$(dirname "$NODE_EXTRA_CA_CERTS")
azurite-blob --oauth basic --skipApiVersionCheck --disableTelemetry --inMemoryPersistence \
  --cert "$tls/server.pem" --key "$tls/server.key" --blobPort 0 >azurite.log &
azurite=$!
trap 'kill $azurite 2>/dev/null || true' EXIT
until_logged azurite.log 'successfully listens on' $azurite
export STORAGE="https://localhost:$(grep -oE '[0-9]+$' <<<"$logged")/devstoreaccount1"
environment() { AZURE_AUTHORITY_HOST="$HTTPS_AUTH_URL" AZURE_TENANT_ID="$TENANT_ID" AZURE_CLIENT_ID="$CLIENT_ID" AZURE_CLIENT_SECRET=$1 node "$program/blobs.cjs" "${@:2}"; }

section Three environment variables
environment "$CLIENT_SECRET" DefaultAzureCredential

section A managed identity
(set -a; source data/app-service.env; node "$program/blobs.cjs" ManagedIdentityCredential)
(set -a; source data/virtual-machine.env; node "$program/blobs.cjs" DefaultAzureCredential)

section Refusals
environment wrong DefaultAzureCredential
environment "$CLIENT_SECRET" DefaultAzureCredential "api://$API_APPLICATION_ID/.default"
environment "$CLIENT_SECRET" none
