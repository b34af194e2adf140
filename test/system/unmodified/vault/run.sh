#!/usr/bin/env bash
# The Azure secrets engine of Vault leases secrets of an application, and rotates its own secret.
source "$(dirname "$0")/../shell.sh"
require curl node
build_go_program "$graph_sdk_flags"

# Creates an application with a service principal: new_client NAME. Sets application, id and principal.
new_client() {
  application=$(graph applications -d "{\"displayName\":\"$1\"}")
  id=$(member .appId <<<"$application")
  principal=$(graph servicePrincipals -d "{\"appId\":\"$id\"}" | member .id)
}
# Assigns an app role of an API to the new client: consent API ROLE
consent() {
  local api
  api=$(graph "servicePrincipals(appId='$1')")
  assign_role "$principal" "$(member .id <<<"$api")" "$(role_id "$2" <<<"$api")" >/dev/null
}

new_client 'vault orders'
consent "$API_APPLICATION_ID" CallHiApiRole
export APPLICATION_OBJECT_ID=$(member .id <<<"$application")
new_client 'vault root'
consent 00000003-0000-0000-c000-000000000000 Application.ReadWrite.All
export ROOT_ID=$id
ROOT_SECRET=$(graph "applications(appId='$id')/addPassword" -d '{}' | member .secretText)
export ROOT_SECRET
lead_hosts
"$CACHE/vault"
