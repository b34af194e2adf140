import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { IssuerHostList } from '../../../src/issuance/federation/federated-issuers.ts'

const list = new IssuerHostList(['issuer.example', 'other.example:8443', 'localhost:9000'])

const rows: [string, boolean][] = [
  ['https://issuer.example/tenant', true],
  ['https://ISSUER.example', true],
  ['https://issuer.example:443/tenant', true],
  ['https://other.example:8443', true],
  ['http://localhost:9000/tenant', true],
  ['http://issuer.example/tenant', false],
  ['https://issuer.example:8443', false],
  ['https://other.example', false],
  ['https://sub.issuer.example', false],
  ['https://issuer.example.evil.example', false],
  ['https://user@issuer.example', false],
  ['https://issuer.example@evil.example', false],
  ['https://127.0.0.1', false],
  ['http://169.254.169.254/latest', false],
  ['file:///etc/passwd', false],
  ['issuer.example', false],
]

describe('the list of hosts with issuer keys (AS23)', () => {
  for (const [url, allowed] of rows) {
    it(`${allowed ? 'includes' : 'excludes'} ${url}`, () => assert.equal(list.allows(url), allowed))
  }
})
