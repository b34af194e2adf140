#!/usr/bin/env bash
# Spring Security protects an API with tokens of v1.0 and v2.0, and calls it as a client.
source "$(dirname "$0")/../shell.sh"
require java javac keytool mvn curl
mvn -q -B -Dmaven.repo.local="$CACHE/maven" -f "$program/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$PWD/classpath" >&2
javac -parameters -cp "$(cat classpath)" -d classes "$program/Orders.java" >&2
cp "$program/application.properties" classes/
keytool -importcert -noprompt -file "$NODE_EXTRA_CA_CERTS" -keystore trusted.p12 -storepass changeit 2>/dev/null

# Starts the API, and calls it: run CLIENT_ID SECRET SCOPE ISSUER AUDIENCE ROLE
run() {
  CLIENT_ID=$1 CLIENT_SECRET=$2 SCOPE=$3 ISSUER=$4 AUDIENCE=$5 ROLE=$6 \
    java -Djavax.net.ssl.trustStore=trusted.p12 -Djavax.net.ssl.trustStorePassword=changeit \
    -XX:TieredStopAtLevel=1 -cp "classes:$(cat classpath)" Orders
}
administrator=$(printf %s "$ADMINISTRATOR_SECRET" | curl -sS "$AUTH_URL/$TENANT_ID/oauth2/v2.0/token" \
  -d grant_type=client_credentials -d "client_id=$ADMINISTRATOR_ID" --data-urlencode client_secret@- \
  -d scope=https://graph.microsoft.com/.default | member .access_token)
graph() {
  printf 'authorization: Bearer %s' "$administrator" |
    curl -sS --fail-with-body -H @- -H 'content-type: application/json' -X "$1" "$AUTH_URL/v1.0/$2" ${3:+-d "$3"}
}
client="applications(appId='$CLIENT_ID')"
principal="servicePrincipals(appId='$CLIENT_ID')"
api="api://$API_APPLICATION_ID"
hi() { run "$CLIENT_ID" "$1" "$api/.default" "$AUTH_URL/$TENANT_ID/" "$api" CallHiApiRole; }

section Tokens of v1.0
hi "$CLIENT_SECRET"

section Tokens of v2.0
role=5d2f0c1a-7b34-4e86-9c15-a3f2d8e60b47
orders=$(graph POST applications "{\"displayName\":\"Orders\",\"api\":{\"requestedAccessTokenVersion\":2},
  \"appRoles\":[{\"id\":\"$role\",\"allowedMemberTypes\":[\"Application\"],\"value\":\"Orders.Read\",
  \"displayName\":\"Read\",\"description\":\"Read orders\",\"isEnabled\":true}]}" | member .appId)
graph PATCH "applications(appId='$orders')" "{\"identifierUris\":[\"api://$orders\"]}"
resource=$(graph POST servicePrincipals "{\"appId\":\"$orders\"}" | member .id)
granted=$(graph POST "$principal/appRoleAssignments" "{\"appRoleId\":\"$role\",\"resourceId\":\"$resource\",
  \"principalId\":\"$(graph GET "$principal" | member .id)\"}" | member .id)
read_orders() {
  run "$CLIENT_ID" "$1" "api://$orders/.default" "$HTTPS_AUTH_URL/$TENANT_ID/v2.0" "$orders" Orders.Read
}
read_orders "$CLIENT_SECRET"

section Refusals
hi wrong
run 11111111-2222-4333-8444-555555555555 wrong "$api/.default" "$AUTH_URL/$TENANT_ID/" "$api" CallHiApiRole
run "$CLIENT_ID" "$CLIENT_SECRET" api://unknown/.default "$AUTH_URL/$TENANT_ID/" "$api" CallHiApiRole
echo 'another audience:'
run "$CLIENT_ID" "$CLIENT_SECRET" "$api/.default" "$AUTH_URL/$TENANT_ID/" api://other CallHiApiRole

section A secret rotation
first=$(graph GET "$client" | member .passwordCredentials.0.keyId)
second=$(graph POST "$client/addPassword" '{"passwordCredential":{"displayName":"second"}}' | member .secretText)
hi "$second"
graph POST "$client/removePassword" "{\"keyId\":\"$first\"}"
hi "$CLIENT_SECRET"

section A withdrawn consent
graph DELETE "$principal/appRoleAssignments/$granted"
read_orders "$second"
