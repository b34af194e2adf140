#!/usr/bin/env bash
# MSAL for Java obtains tokens by secret.
source "$(dirname "$0")/../shell.sh"
require java keytool mvn curl
mvn -q -B -Dmaven.repo.local="$CACHE/maven" -f "$program/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$PWD/classpath" >&2
keytool -importcert -noprompt -file "$NODE_EXTRA_CA_CERTS" -keystore trusted.p12 -storepass changeit 2>/dev/null

scope="api://$API_APPLICATION_ID/.default"
call() {
  CLIENT_SECRET=$2 java -Djavax.net.ssl.trustStore=trusted.p12 -Djavax.net.ssl.trustStorePassword=changeit \
    -cp "$(cat classpath)" "$program/CallHi.java" "$1" "${3:-$scope}"
}
administrator=$(printf %s "$ADMINISTRATOR_SECRET" | curl -sS "$AUTH_URL/$TENANT_ID/oauth2/v2.0/token" \
  -d grant_type=client_credentials -d "client_id=$ADMINISTRATOR_ID" --data-urlencode client_secret@- \
  -d scope=https://graph.microsoft.com/.default | member .access_token)
graph() {
  printf 'authorization: Bearer %s' "$administrator" |
    curl -sS --fail-with-body -H @- -H 'content-type: application/json' -X "$1" "$AUTH_URL/v1.0/$2" ${3:+-d "$3"}
}
client="applications(appId='$CLIENT_ID')"
assignments="servicePrincipals(appId='$CLIENT_ID')/appRoleAssignments"

section A token by secret
call "$CLIENT_ID" "$CLIENT_SECRET"

section Refusals
call "$CLIENT_ID" wrong
call 11111111-2222-4333-8444-555555555555 wrong
call "$CLIENT_ID" "$CLIENT_SECRET" api://unknown/.default

section A secret rotation
first=$(graph GET "$client" | member .passwordCredentials.0.keyId)
second=$(graph POST "$client/addPassword" '{"passwordCredential":{"displayName":"second"}}' | member .secretText)
call "$CLIENT_ID" "$CLIENT_SECRET"
call "$CLIENT_ID" "$second"
graph POST "$client/removePassword" "{\"keyId\":\"$first\"}"
call "$CLIENT_ID" "$CLIENT_SECRET"

section A withdrawn consent
for role in hi hello; do
  graph DELETE "$assignments/$(graph GET "$assignments" | member .value.0.id)"
done
call "$CLIENT_ID" "$second"
