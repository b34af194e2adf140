#!/usr/bin/env bash
# The standard library of Python tests a client with the lab.
source "$(dirname "$0")/../shell.sh"
require python3
export PYTHONDONTWRITEBYTECODE=1
python3 "$program/test_lab.py" 2>&1 | tee tests.log | sed -n 's/ (.*) \.\.\. / ... /p' || { cat tests.log >&2; exit 1; }
