#!/usr/bin/env bash
# The standard library of Java tests a client with the lab.
source "$(dirname "$0")/../shell.sh"
require java
java "$program/LabTest.java"
