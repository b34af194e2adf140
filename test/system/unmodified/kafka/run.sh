#!/usr/bin/env bash
# A Kafka broker accepts the tokens of its clients.
source "$(dirname "$0")/../shell.sh"
require java keytool mvn curl node
install_python_packages
mvn -q -B -Dmaven.repo.local="$CACHE/maven" -f "$program/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile="$PWD/classpath" >&2
keytool -importcert -noprompt -file "$NODE_EXTRA_CA_CERTS" -keystore trusted.p12 -storepass changeit 2>/dev/null
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true' EXIT
TOKEN_URL="$HTTPS_AUTH_URL/$TENANT_ID/oauth2/v2.0/token" KEYS_URL="$HTTPS_AUTH_URL/$TENANT_ID/discovery/keys"
kafka() {
  java -Djavax.net.ssl.trustStore=trusted.p12 -Djavax.net.ssl.trustStorePassword=changeit \
    -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls="$TOKEN_URL,$KEYS_URL" -cp "$(cat classpath)" "$@"
}
AUDIENCE="api://$API_APPLICATION_ID" ISSUER="$AUTH_URL/$TENANT_ID/"
BROKER_PORT=$(free_port) CONTROLLER_PORT=$(free_port) INTERNAL_PORT=$(free_port)
OBJECT_ID=$(graph "servicePrincipals(appId='$CLIENT_ID')" | member .id)
umask 077
place_variables "$program/broker.properties" BROKER_PORT CONTROLLER_PORT INTERNAL_PORT KEYS_URL ISSUER AUDIENCE OBJECT_ID >broker.properties
kafka kafka.tools.StorageTool format -t "$(kafka kafka.tools.StorageTool random-uuid 2>/dev/null)" -c broker.properties >&2
kafka kafka.Kafka broker.properties >broker.log 2>&1 &
processes+=($!)
until_logged broker.log 'Kafka Server started' $!

export TOKEN_URL BROKER_PORT CLIENT_SECRET SCOPE

# Writes and reads a record by both libraries: orders SECRET API
orders() {
  CLIENT_SECRET=$1 SCOPE="$2/.default"
  place_variables "$program/client.properties" BROKER_PORT TOKEN_URL CLIENT_ID CLIENT_SECRET SCOPE >client.properties
  printf 'Java: '
  kafka "$program/Orders.java" client.properties
  printf 'librdkafka: '
  python "$program/orders.py"
}
secret=$CLIENT_SECRET

section A token
orders "$secret" "$AUDIENCE"

section Refusals
orders wrong "$AUDIENCE"
orders "$secret" https://storage.azure.com
orders "$secret" api://unknown

section A client without an ACL
CLIENT_ID=$ADMINISTRATOR_ID
orders "$ADMINISTRATOR_SECRET" "$AUDIENCE"
