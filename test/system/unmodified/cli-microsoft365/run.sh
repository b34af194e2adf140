#!/usr/bin/env bash
# CLI for Microsoft 365 registers applications, with roles, permissions, a manifest and secrets.
source "$(dirname "$0")/../shell.sh"
install_npm_packages @pnp/cli-microsoft365@11.11.0
lead_hosts
export CLIMICROSOFT365_NOUPDATE=1 NODE_USE_ENV_PROXY=1
m365() { command m365 "$@" --output json; }
# Prints members of each element of the JSON on standard input, in order of the first one: members NAME...
members() { node -e 'const names = process.argv.slice(1); const value = JSON.parse(require("node:fs").readFileSync(0, "utf8")); console.log([value].flat().map((one) => names.map((name) => JSON.stringify(one[name])).join("\t")).sort().join("\n"))' "$@"; }

section Log in with a secret
m365 cli config set --key disableTelemetry --value true >/dev/null
m365 login --authType secret --appId "$ADMINISTRATOR_ID" --tenant "$TENANT_ID" --secret "$ADMINISTRATOR_SECRET" | members authType

section Applications: plain, with a secret, with permissions, from a manifest
plain=$(m365 entra app add --name 'pnp orders' | member .appId)
m365 entra app add --name 'pnp secret' --withSecret | node -e 'console.log(JSON.parse(require("node:fs").readFileSync(0, "utf8")).secrets.map(({ displayName }) => displayName).join())'
m365 entra app add --name 'pnp permissions' --apisApplication 'https://graph.microsoft.com/Application.Read.All' --grantAdminConsent >/dev/null
m365 entra app add --manifest '{"name":"pnp manifest","createdDateTime":"2022-02-10T08:06:59Z","signInAudience":"AzureADMyOrg","appRoles":[]}' >/dev/null
m365 entra app list | members displayName | grep pnp
m365 entra app set --appId "$plain" --uris "api://$plain"
m365 entra app get --appId "$plain" | members displayName identifierUris

section App roles
m365 entra app role add --appId "$plain" --name 'Read orders' --description 'Reads all orders.' --allowedMembers applications --claim Orders.Read
m365 entra app role list --appId "$plain" | members value displayName

section Permissions, enterprise applications and assignments
m365 entra app permission add --appId "$plain" --applicationPermissions 'https://graph.microsoft.com/Application.Read.All'
m365 entra app permission list --appId "$plain" | members permission type
m365 entra enterpriseapp add --id "$plain" | members displayName
m365 entra enterpriseapp get --id "$plain" | members servicePrincipalType
m365 entra approleassignment add --appId "$plain" --resource 'Microsoft Graph' --scopes Application.Read.All | members resourceDisplayName
m365 entra approleassignment list --appId "$plain" | members resourceDisplayName roleName
m365 entra approleassignment remove --appId "$plain" --resource 'Microsoft Graph' --scopes Application.Read.All --force
m365 entra app permission remove --appId "$plain" --applicationPermissions 'https://graph.microsoft.com/Application.Read.All' --force
m365 entra app permission list --appId "$plain" | members permission

section Removal
m365 entra app role remove --appId "$plain" --name 'Read orders' --force
m365 entra app remove --appId "$plain" --force
m365 entra app list | members displayName | grep pnp
