#!/usr/bin/env bash
# The standard library of Go tests a client with the lab.
source "$(dirname "$0")/../shell.sh"
require go
(cd "$program" && nice go test -count=1 -v ./...) 2>&1 | tee tests.log | sed -n 's/^--- \(.*\) (.*)$/\1/p' || { cat tests.log >&2; exit 1; }
