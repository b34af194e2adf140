import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtInApiAppIds } from '@greeting/directory'
import {
  application,
  guid,
  policy,
  servicePrincipal,
  tenant,
} from '../../../../../test/fixtures/directory/sample.ts'
import { lifetimeOf, tokenTimes } from '../../../src/dialect/token/token-times.ts'

const now = new Date('2026-06-01T12:00:00.999Z')
const nowSeconds = Date.parse('2026-06-01T12:00:00Z') / 1000

describe('the times of a token', () => {
  it('match Entra ID: the token starts five minutes ago and expires in an hour', () => {
    const lifetime = { backdatingSeconds: 300, shortestSeconds: 3600, longestSeconds: 3600 }
    assert.deepEqual(tokenTimes(lifetime, now, 0.5), {
      issuedAt: nowSeconds - 300,
      expiresAt: nowSeconds + 3600,
      expiresInSeconds: 3599,
    })
  })

  const rows: [number, number][] = [
    [0, 3600],
    [0.5, 4500],
    [0.999999, 5400],
  ]
  for (const [random, lifetimeSeconds] of rows) {
    it(`end in ${lifetimeSeconds} s when the random number is ${random} and the range is 60 to 90 minutes`, () => {
      const lifetime = { backdatingSeconds: 0, shortestSeconds: 3600, longestSeconds: 5400 }
      assert.equal(tokenTimes(lifetime, now, random).expiresAt, nowSeconds + lifetimeSeconds)
    })
  }
})

describe('the lifetime of a token', () => {
  const setting = { backdatingSeconds: 300, shortestSeconds: 3600, longestSeconds: 5400 }
  const text = '{"TokenLifetimePolicy":{"Version":1,"AccessTokenLifetime":"08:00:00"}}'
  const eightHours = policy(1, { kind: 'tokenLifetime', definition: [text] })
  const assigned = { policyIds: [guid(1)] }
  const lifetime = (
    policies: Parameters<typeof tenant>[0],
    ofApi: { readonly policyIds?: readonly string[]; readonly appId?: string },
    agent?: ReturnType<typeof servicePrincipal>,
  ) => {
    const resource = {
      requestedAs: 'api://orders',
      application: application(ofApi),
      principal: servicePrincipal(),
    }
    return lifetimeOf({ tenant: tenant(policies), resource, ...(agent && { agent }) }, setting)
  }
  const exactly = (seconds: number) => ({
    ...setting,
    shortestSeconds: seconds,
    longestSeconds: seconds,
  })

  it('comes from the setting if no policy exists', () => {
    assert.deepEqual(lifetime({ policies: [eightHours] }, {}), setting)
  })

  it('comes from the policy that is assigned to the API', () => {
    assert.deepEqual(lifetime({ policies: [eightHours] }, assigned), exactly(28_800))
  })

  it('comes from the setting after the policy is deleted', () => {
    assert.deepEqual(lifetime({}, assigned), setting)
  })

  for (const appId of builtInApiAppIds)
    it(`comes from the setting for the built-in API ${appId}, even under a default policy`, () => {
      const policies = [{ ...eightHours, isOrganizationDefault: true }]
      assert.deepEqual(lifetime({ policies }, { appId }), setting)
      assert.deepEqual(lifetime({ policies }, {}), exactly(28_800))
    })

  it("is one hour for a blueprint's token, even under a policy", () => {
    const policies = [{ ...eightHours, isOrganizationDefault: true }]
    assert.deepEqual(lifetime({ policies }, {}, servicePrincipal()), exactly(3600))
  })
})
