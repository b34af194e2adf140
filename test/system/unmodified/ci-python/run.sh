#!/usr/bin/env bash
# The jobs of examples/ci verify tokens in FastAPI with PyJWT.
source "$(dirname "$0")/../shell.sh"
require python3
ci_jobs python '^(test_\w+|Ran [0-9]+ tests)'
