import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { versionIn } from '../harness/programs.ts'

describe('the version in the output of a program', () => {
  const rows: readonly [string, string][] = [
    ['wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer', '4.1.0'],
    ['HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/', '2.6.12'],
    ['OpenSSL 3.0.19 27 Jan 2026', '3.0.19'],
    ['taskset from util-linux 2.38', '2.38'],
    ['no number', ''],
  ]
  for (const [output, version] of rows) {
    it(`is ${version || 'none'}: ${output}`, () => assert.equal(versionIn(output), version))
  }
})
