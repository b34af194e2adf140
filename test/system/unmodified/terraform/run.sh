#!/usr/bin/env bash
# OpenTofu with the provider azuread registers an API and a client, rotates the secret, and removes everything.
source "$(dirname "$0")/../shell.sh"
require curl node
tofu=github.com/opentofu/opentofu@v1.12.6
provider=github.com/hashicorp/terraform-provider-azuread@v1.6.0
commands="$CACHE/terraform/$(basename "$tofu")"
plugins="$CACHE/terraform/$(basename "$provider")"
build_go_command "$plugins/terraform-provider-azuread" "$provider" .
build_go_command "$commands/tofu" "$tofu" ./cmd/tofu

lead_hosts
export TF_CLI_CONFIG_FILE="$PWD/tofurc" CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1
export ARM_TENANT_ID="$TENANT_ID" ARM_CLIENT_ID="$ADMINISTRATOR_ID" ARM_CLIENT_SECRET="$ADMINISTRATOR_SECRET"
cat > tofurc <<TOFURC
provider_installation {
  dev_overrides { "hashicorp/azuread" = "$plugins" }
}
TOFURC
cp "$program/main.tf" .

export PATH="$commands:$PATH" TF_CLI_ARGS=-no-color
summary() { grep -E '^(Apply complete|Destroy complete|No changes)'; }
output() { tofu output -raw "$1" 2>/dev/null; }
# Runs a command with another client: as CLIENT SECRET COMMAND [ARGUMENT...]
as() { ARM_CLIENT_ID=$1 ARM_CLIENT_SECRET=$2 tofu "${@:3}"; }
hi() { token_response "$(output client)" "api://$API_APPLICATION_ID" | member .access_token | call_hi; }

section Apply: two applications, their service principals, a requested permission, a secret
tofu apply -auto-approve | summary
tofu plan -detailed-exitcode | summary

section Admin consent, for which the provider has no resource
principal=$(output client_principal)
assign_role "$principal" "$(output api_principal)" "$(output role)" >/dev/null
greeting=$(graph "servicePrincipals(appId='$API_APPLICATION_ID')")
consent=$(assign_role "$principal" "$(member .id <<<"$greeting")" "$(role_id CallHiApiRole <<<"$greeting")")
output secret | token_response "$(output client)" "$(output api)" | member .access_token | roles
output secret | hi
tofu plan -detailed-exitcode | summary

section Refusals
refused 'AADSTS[0-9]+: [^.]+' as "$ADMINISTRATOR_ID" wrong plan
refused 'AADSTS[0-9]+: [^.]+' as 11111111-2222-4333-8444-555555555555 wrong plan
refused 'StatusCode:[0-9]+' as "$CLIENT_ID" "$CLIENT_SECRET" plan
graph_api=$(graph "servicePrincipals(appId='00000003-0000-0000-c000-000000000000')")
assign_role "$principal" "$(member .id <<<"$graph_api")" "$(role_id Application.Read.All <<<"$graph_api")" >/dev/null
first=$(output secret)
as "$(output client)" "$first" plan -detailed-exitcode | summary
refused 'Insufficient privileges' \
  as "$(output client)" "$first" apply -auto-approve -var secret_name=second

section A secret rotation
export TF_VAR_secret_name=second
tofu apply -auto-approve | summary
tofu plan -detailed-exitcode | summary
output secret | hi
printf %s "$first" | token_response "$(output client)" "api://$API_APPLICATION_ID" | refusal

section A withdrawn consent
graph "servicePrincipals/$principal/appRoleAssignments/$consent" -X DELETE
output secret | hi

section Destroy
tofu destroy -auto-approve | summary
graph "applications?\$filter=startswith(displayName,'terraform%20')" | member .value.length
