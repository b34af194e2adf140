#!/usr/bin/env bash
# Azure CLI registers an API and a client, and each failure that its user meets is shown.
source "$(dirname "$0")/../shell.sh"
require curl node
install_python_packages

export REQUESTS_CA_BUNDLE="$NODE_EXTRA_CA_CERTS" AZURE_CONFIG_DIR="$PWD/azure"
export AZURE_CORE_COLLECT_TELEMETRY=no AZURE_CORE_INSTANCE_DISCOVERY=false AZURE_CORE_ONLY_SHOW_ERRORS=true
export AZURE_CORE_NO_COLOR=true AZURE_CORE_LOGIN_EXPERIENCE_V2=off AZURE_CORE_OUTPUT=tsv

login() {
  az login --service-principal --username "$1" --password "$2" --tenant "$TENANT_ID" \
    --allow-no-subscriptions --query '[].[tenantId, name]'
}
token() { az account get-access-token --scope "$1/.default" --query accessToken; }

section Point the tool at the server, and log in
az cloud register --name greeting --endpoint-resource-manager "$HTTPS_AUTH_URL"
az cloud set --name greeting
refused 'AADSTS[0-9]+: [^.]+' login "$ADMINISTRATOR_ID" wrong
login "$ADMINISTRATOR_ID" "$ADMINISTRATOR_SECRET"

section Steps 1 and 2: the application of the API, with an app role
cat > roles.json <<'JSON'
[{ "allowedMemberTypes": ["Application"], "displayName": "Read orders", "description": "Reads all orders.",
   "isEnabled": "true", "value": "Orders.Read" }]
JSON
orders=$(az ad app create --display-name 'az orders' --app-roles @roles.json --query appId)
az ad app update --id "$orders" --identifier-uris "api://$orders"
role=$(az ad app show --id "$orders" --query 'appRoles[0].id')
az ad app list --display-name 'az orders' --query '[].[displayName, identifierUris[0], appRoles[0].value]'
refused 'Failed to add identifier URI [^ ]+' \
  az ad app update --id "$orders" --identifier-uris https://orders.example

section Step 3: the application of the client, and both service principals
client=$(az ad app create --display-name 'az client' --query appId)
az ad sp create --id "$orders" --query displayName
api_principal=$(az ad sp show --id "$orders" --query id)
client_principal=$(az ad sp create --id "$client" --query id)
az ad sp list --display-name 'az ' --query 'sort_by([], &displayName)[].displayName'
refused "Resource '[^']+' does not exist[^.]*" az ad sp show --id 11111111-2222-4333-8444-555555555555

section Step 4: the requested permission
az ad app permission add --id "$client" --api "$orders" --api-permissions "$role=Role"
az ad app permission list --id "$client" --query '[].resourceAccess[].type'

section Step 5: admin consent
grant() {
  az rest --method POST --url "$HTTPS_AUTH_URL/v1.0/servicePrincipals/$client_principal/appRoleAssignments" \
    --resource "$HTTPS_AUTH_URL/" --headers 'content-type=application/json' \
    --body "{\"principalId\":\"$client_principal\",\"resourceId\":\"$1\",\"appRoleId\":\"$2\"}" --query "$3"
}
grant "$api_principal" "$role" '[principalDisplayName, resourceDisplayName]'
greeting_principal=$(az ad sp show --id "$API_APPLICATION_ID" --query id)
hi_role=$(az ad sp show --id "$API_APPLICATION_ID" --query "appRoles[?value=='CallHiApiRole'].id")
assignment=$(grant "$greeting_principal" "$hi_role" id)

section Step 6: a secret, and the first token
secret=$(az ad app credential reset --id "$client" --display-name first --query password)
login "$client" "$secret"
token "api://$orders" | roles
token "api://$API_APPLICATION_ID" | call_hi
refused 'Insufficient privileges[^.]*' az ad app create --display-name 'not permitted'
refused 'AADSTS[0-9]+: [^.]+' az account get-access-token --scope api://unknown/.default

section A secret rotation
login "$ADMINISTRATOR_ID" "$ADMINISTRATOR_SECRET" >/dev/null
second=$(az ad app credential reset --id "$client" --append --display-name second --query password)
az ad app credential list --id "$client" --query 'sort_by([], &displayName)[].displayName'
login "$client" "$secret" && login "$client" "$second"
login "$ADMINISTRATOR_ID" "$ADMINISTRATOR_SECRET" >/dev/null
az ad app credential delete --id "$client" \
  --key-id "$(az ad app credential list --id "$client" --query "[?displayName=='first'].keyId")"
# A login takes the token of an earlier login from the cache, so the cache is emptied first.
az account clear
refused 'AADSTS[0-9]+: [^.]+' login "$client" "$secret"

section A withdrawn consent
login "$ADMINISTRATOR_ID" "$ADMINISTRATOR_SECRET" >/dev/null
az rest --method DELETE --resource "$HTTPS_AUTH_URL/" \
  --url "$HTTPS_AUTH_URL/v1.0/servicePrincipals/$greeting_principal/appRoleAssignedTo/$assignment"
login "$client" "$second" >/dev/null
token "api://$API_APPLICATION_ID" | call_hi

section A certificate, a federated credential, and the owners
login "$ADMINISTRATOR_ID" "$ADMINISTRATOR_SECRET" >/dev/null
pem=$(az ad sp create-for-rbac --display-name 'az certificate' --create-cert --query fileWithCertAndPrivateKey)
certified=$(az ad app list --display-name 'az certificate' --query '[].appId')
az ad app federated-credential create --id "$client" --query '[name, subject]' --parameters \
  '{"name":"deploy","issuer":"https://token.actions.githubusercontent.com","subject":"repo:contoso/orders:ref:refs/heads/main","audiences":["api://AzureADTokenExchange"]}'
az ad app owner list --id "$client" --query '[].displayName'
az login --service-principal --username "$certified" --certificate "$pem" --tenant "$TENANT_ID" \
  --allow-no-subscriptions --query '[].name'

section Removal
login "$ADMINISTRATOR_ID" "$ADMINISTRATOR_SECRET" >/dev/null
for id in "$client" "$orders" "$certified"; do az ad app delete --id "$id"; done
az ad app list --display-name 'az ' --query 'length([])'
