#!/usr/bin/env bash
# The jobs of examples/ci verify tokens in net/http with golang-jwt.
source "$(dirname "$0")/../shell.sh"
require go
ci_jobs go '(PASS|FAIL|SKIP): TestOrders/\w+'
