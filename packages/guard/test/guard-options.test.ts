import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuard, entra, GuardOptionsError } from '../src/index.ts'
import { apiApplicationId, optionsWith, roles, tenantId } from './token-factory.ts'

type Options = Record<string, unknown>

function faultsOf(make: () => unknown): readonly string[] {
  try {
    make()
  } catch (error) {
    assert.ok(error instanceof GuardOptionsError)
    assert.equal(error.code, 'guard_options')
    for (const fault of error.faults) assert.ok(error.message.includes(fault))
    return error.faults
  }
  return []
}

const issuer = {
  issuer: 'https://as.example',
  audiences: ['api'],
  keySetUrl: 'https://as.example/k',
}

describe('the options of a guard', () => {
  const rows: [change: Options, begins: string][] = [
    [{ issuers: undefined }, 'issuers: '],
    [{ issuers: [] }, 'issuers: '],
    [{ issuers: [issuer, issuer] }, 'issuers: must name each issuer once'],
    [{ issuers: [{ ...issuer, issuer: '' }] }, 'issuers.0.issuer: '],
    [{ issuers: [{ ...issuer, issuer: ['https://as.example'] }] }, 'issuers.0.issuer: '],
    [{ issuers: [{ ...issuer, audiences: [] }] }, 'issuers.0.audiences: '],
    [{ issuers: [{ ...issuer, audiences: undefined }] }, 'issuers.0.audiences: '],
    [{ issuers: [{ ...issuer, audiences: [''] }] }, 'issuers.0.audiences.0: '],
    [{ issuers: [{ ...issuer, audiences: [/api/] }] }, 'issuers.0.audiences.0: '],
    [{ issuers: [{ ...issuer, keySetUrl: 'file:///keys' }] }, 'issuers.0.keySetUrl: '],
    [{ issuers: [{ ...issuer, keySetUrl: 'keys' }] }, 'issuers.0.keySetUrl: '],
    [{ issuers: [{ ...issuer, keySetUrl: 'https://a:b@as.example' }] }, 'issuers.0.keySetUrl: '],
    [{ issuers: [{ ...issuer, tenant: 'x' }] }, 'issuers.0: '],
    [{ issuers: [{ ...issuer, keySetUrl: undefined }] }, 'issuers.0: must have either keySetUrl'],
    [{ issuers: [{ ...issuer, keys: () => [] }] }, 'issuers.0: must have either keySetUrl or keys'],
    [{ issuers: [{ ...issuer, keySetUrl: undefined, keys: [] }] }, 'issuers.0.keys: must be a'],
    [{ roles: [] }, 'roles: '],
    [{ roles: ['A', 'A'] }, 'roles: must name each role once'],
    [{ roles: [''] }, 'roles.0: '],
    [{ realm: 'a"b' }, 'realm: '],
    [{ realm: 'a\\b' }, 'realm: '],
    [{ realm: 'é' }, 'realm: '],
    [{ realm: 'a\r\nb: c' }, 'realm: '],
    [{ resourceMetadataUrl: 'https://api.example/"' }, 'resourceMetadataUrl: '],
    [{ clockToleranceSeconds: 61 }, 'clockToleranceSeconds: '],
    [{ clockToleranceSeconds: -1 }, 'clockToleranceSeconds: '],
    [{ clockToleranceSeconds: Number.NaN }, 'clockToleranceSeconds: '],
    [{ clockToleranceSeconds: Number.POSITIVE_INFINITY }, 'clockToleranceSeconds: '],
    [{ clockToleranceSeconds: '60' }, 'clockToleranceSeconds: '],
    [{ clockToleranceSeconds: null }, 'clockToleranceSeconds: '],
    [{ clockToleranceSeconds: 0.5 }, 'clockToleranceSeconds: '],
    [{ maxCachedTokens: -1 }, 'maxCachedTokens: '],
    [{ maxCachedTokens: 1e9 }, 'maxCachedTokens: '],
    [{ certificateBinding: 'maybe' }, 'certificateBinding: '],
    [{ tokenTypes: [] }, 'tokenTypes: '],
    [{ listener: 'log' }, 'listener: '],
    [{ algorithms: ['HS256'] }, 'options: '],
    [{ clockTolerance: 60 }, 'options: '],
    [{ keySets: { refreshSeconds: 0 } }, 'keySets.refreshSeconds: '],
    [{ keySets: { cooldownSeconds: 0 } }, 'keySets.cooldownSeconds: '],
    [{ keySets: { timeoutMs: 1 } }, 'keySets.timeoutMs: '],
    [{ keySets: { ceilingSeconds: 600 } }, 'keySets.ceilingSeconds: must not be shorter'],
    [{ keySets: { timeout: 1 } }, 'keySets: '],
  ]
  for (const [change, begins] of rows) {
    it(`${JSON.stringify(change)} are refused (fast-jwt #640, CVE-2022-23539)`, () => {
      const [fault = '', ...others] = faultsOf(() => createGuard(optionsWith(change)))
      assert.ok(fault.startsWith(begins), fault)
      assert.deepEqual(others, [])
    })
  }

  it('are refused with all faults together', () => {
    const change: Options = { realm: '"', maxCachedTokens: -1, unheard: 1 }
    assert.equal(faultsOf(() => createGuard(optionsWith(change))).length, 3)
  })

  it('are validated before any fetch and any timer', () => {
    const environment = {
      fetch: () => assert.fail('fetched'),
      schedule: () => assert.fail('scheduled'),
    }
    assert.throws(() => createGuard(optionsWith({ roles: [] }), environment))
    createGuard(optionsWith(), environment)
  })
})

describe('the options of entra', () => {
  const ids = { tenantId, apiApplicationId, roles }

  it('have real Entra and v1.0 tokens as defaults', () => {
    assert.deepEqual(entra(ids), {
      roles,
      issuers: [
        {
          issuer: `https://sts.windows.net/${tenantId}/`,
          audiences: [`api://${apiApplicationId}`],
          tenantId,
          keySetUrl: `https://login.microsoftonline.com/${tenantId}/discovery/keys`,
          tokenVersion: '1.0',
          claims: { applicationId: 'appid', tokenId: 'uti' },
        },
      ],
    })
  })

  it('add v2.0 tokens on request, once', () => {
    const { issuers } = entra({ ...ids, tokenVersions: ['1.0', '2.0', '2.0'] })
    assert.equal(issuers.length, 2)
    assert.deepEqual(issuers[1], {
      issuer: `https://login.microsoftonline.com/${tenantId}/v2.0`,
      audiences: [apiApplicationId],
      tenantId,
      keySetUrl: `https://login.microsoftonline.com/${tenantId}/discovery/v2.0/keys`,
      tokenVersion: '2.0',
      claims: { applicationId: 'azp', tokenId: 'uti' },
    })
  })

  it('use the keys of a function in place of each key set', () => {
    const keys = () => []
    const { issuers } = entra({ ...ids, keys, tokenVersions: ['1.0', '2.0'] })
    for (const issuer of issuers) {
      assert.equal(issuer.keys, keys)
      assert.equal(issuer.keySetUrl, undefined)
    }
  })

  it('do not change the other options of the guard', () => {
    assert.equal(entra({ ...ids, realm: 'mine', maxCachedTokens: 5 }).maxCachedTokens, 5)
  })

  const rows: [change: Options, begins: string][] = [
    [{ tenantId: undefined }, 'tenantId: '],
    [{ tenantId: 'common' }, 'tenantId: '],
    [{ tenantId: tenantId.toUpperCase() }, 'tenantId: must be a GUID in lower case'],
    [{ apiApplicationId: `api://${apiApplicationId}` }, 'apiApplicationId: '],
    [{ authUrl: 'https://login.microsoftonline.com/' }, 'authUrl: '],
    [{ issuerUrl: 'sts.windows.net' }, 'issuerUrl: '],
    [{ keySetUrl: 'https://as.example/keys?x#y' }, 'keySetUrl: '],
    [{ keySetUrl: 'https://as.example/keys', keys: () => [] }, 'options: must not have both'],
    [{ tokenVersions: [] }, 'tokenVersions: '],
    [{ tokenVersions: ['3.0'] }, 'tokenVersions.0: '],
  ]
  for (const [change, begins] of rows) {
    it(`${JSON.stringify(change)} are refused`, () => {
      const [fault = '', ...others] = faultsOf(() => entra({ ...ids, ...change }))
      assert.ok(fault.startsWith(begins), fault)
      assert.deepEqual(others, [])
    })
  }

  for (const nothing of [undefined, null, 'x', 1])
    it(`${JSON.stringify(nothing)} in their place is refused with a sentence`, () => {
      const options = nothing as unknown as Parameters<typeof entra>[0]
      assert.deepEqual(
        faultsOf(() => entra(options)),
        ['options: must be an object with tenantId, apiApplicationId and roles'],
      )
    })

  it('with spelling mistakes are refused by the guard', () => {
    const misspelt: Options = { tenantid: tenantId }
    assert.deepEqual(
      faultsOf(() => createGuard(entra({ ...ids, ...misspelt }))),
      ['options: Unrecognized key: "tenantid"'],
    )
  })
})
