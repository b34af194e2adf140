#!/usr/bin/env bash
# MSAL for Java obtains tokens by secret, and those of agent identities by secret and by certificate.
source "$(dirname "$0")/../shell.sh"
require java keytool mvn curl node openssl
mvn -q -B -Dmaven.repo.local="$CACHE/maven" -f "$program/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$PWD/classpath" >&2
keytool -importcert -noprompt -file "$NODE_EXTRA_CA_CERTS" -keystore trusted.p12 -storepass changeit 2>/dev/null

scope="api://$API_APPLICATION_ID/.default"
java_program() {
  java -Djavax.net.ssl.trustStore=trusted.p12 -Djavax.net.ssl.trustStorePassword=changeit -cp "$(cat classpath)" "$program/$1" "${@:2}"
}
call() { CLIENT_SECRET=$2 java_program CallHi.java "$1" "${3:-$scope}"; }
client="applications(appId='$CLIENT_ID')"
assignments="servicePrincipals(appId='$CLIENT_ID')/appRoleAssignments"

section A token by secret
call "$CLIENT_ID" "$CLIENT_SECRET"

section Refusals
call "$CLIENT_ID" wrong
call 11111111-2222-4333-8444-555555555555 wrong
call "$CLIENT_ID" "$CLIENT_SECRET" api://unknown/.default

section A secret rotation
first=$(graph "$client" | member .passwordCredentials.0.keyId)
second=$(graph "$client/addPassword" -d '{"passwordCredential":{"displayName":"second"}}' | member .secretText)
call "$CLIENT_ID" "$CLIENT_SECRET"
call "$CLIENT_ID" "$second"
graph "$client/removePassword" -d "{\"keyId\":\"$first\"}"
call "$CLIENT_ID" "$CLIENT_SECRET"

section A withdrawn consent
for role in hi hello; do
  graph "$assignments/$(graph "$assignments" | member .value.0.id)" -X DELETE
done
call "$CLIENT_ID" "$second"

section Agent identities
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=blueprint -days 30 -keyout key.pem -out certificate.pem 2>/dev/null
openssl pkcs12 -export -inkey key.pem -in certificate.pem -passout pass: -out blueprint.p12
register_agents
# MSAL finds no token in its cache when the authority has a port (its issue 529), so this part has the host name of Microsoft.
export JAVA_TOOL_OPTIONS="-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${HOSTS_PROXY##*:}"
java_program Agents.java
