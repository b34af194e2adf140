import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resourceOfScope } from '../../../src/dialect/request/token-endpoint-versions.ts'
import { Refused } from '../../../src/refusals/refusal.ts'

const id = '11111111-2222-4333-8444-555555555555'
const outcome = (scope: string | undefined) => {
  const resource = resourceOfScope(scope)
  return resource instanceof Refused ? resource.refusal.reason : resource
}

const rows: [string | undefined, string][] = [
  [`api://${id}/.default`, `api://${id}`],
  [`${id}/.default`, id],
  ['https://api.example/.default', 'https://api.example'],
  ['https://api.example//.default', 'https://api.example/'],
  ['https://api.example/a/b/.default', 'https://api.example/a/b'],
  ['urn:example:api/.default', 'urn:example:api'],
  ['  https://api.example/.default  ', 'https://api.example'],
  ['https://api.example/.default email', 'https://api.example'],
  [undefined, 'scope_missing'],
  ['.default', 'scope_not_default'],
  [`api://${id}`, 'scope_not_default'],
  [`api://${id}/.Default`, 'scope_not_default'],
  [`api://${id}/.default/`, 'scope_not_default'],
  [`api://${id}/.default CallHiApiRole`, 'scope_not_default'],
  ['/.default', 'scope_malformed'],
  ['user.read/.default', 'scope_malformed'],
  ['https://api.example#part/.default', 'scope_malformed'],
  ['https://a.example/.default https://b.example/.default', 'scope_has_several_resources'],
]

describe('the resource of a scope (AS14)', () => {
  for (const [scope, expected] of rows) {
    it(`of '${scope}' is ${expected}`, () => assert.equal(outcome(scope), expected))
  }
})
