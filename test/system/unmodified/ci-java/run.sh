#!/usr/bin/env bash
# The jobs of examples/ci verify tokens in the HTTP server of the JDK with Nimbus.
source "$(dirname "$0")/../shell.sh"
require java javac mvn
export MAVEN_OPTS="-Dmaven.repo.local=$CACHE/maven"
ci_jobs java 'Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$'
