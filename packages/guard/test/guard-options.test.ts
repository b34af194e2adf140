import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuard, entra, entraFromEnvironment, GuardOptionsError } from '../src/index.ts'
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
    [{ scope: 'api://x/"' }, 'scope: '],
    [{ scope: 'api://x/.default CallHiApiRole' }, 'scope: must not name a role'],
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

  it('are refused with a list of all faults', () => {
    const change: Options = { realm: '"', maxCachedTokens: -1, unheard: 1 }
    assert.equal(faultsOf(() => createGuard(optionsWith(change))).length, 3)
  })

  it('are validated before any fetch or timer', () => {
    const environment = {
      fetch: () => assert.fail('fetched'),
      schedule: () => assert.fail('scheduled'),
    }
    assert.throws(() => createGuard(optionsWith({ roles: [] }), environment))
    createGuard(optionsWith(), environment)
  })
})

describe('the options from entra()', () => {
  const ids = { tenantId, apiApplicationId, roles }

  it('include real Entra ID and both token versions of one tenant by default', () => {
    assert.deepEqual(entra(ids), {
      roles,
      scope: `api://${apiApplicationId}/.default`,
      issuers: [
        {
          issuer: `https://sts.windows.net/${tenantId}/`,
          audiences: [`api://${apiApplicationId}`],
          tenantId,
          keySetUrl: `https://login.microsoftonline.com/${tenantId}/discovery/keys`,
          tokenVersion: '1.0',
          claims: { applicationId: 'appid', tokenId: 'uti' },
        },
        {
          issuer: `https://login.microsoftonline.com/${tenantId}/v2.0`,
          audiences: [apiApplicationId],
          tenantId,
          keySetUrl: `https://login.microsoftonline.com/${tenantId}/discovery/v2.0/keys`,
          tokenVersion: '2.0',
          claims: { applicationId: 'azp', tokenId: 'uti' },
        },
      ],
    })
  })

  for (const version of ['1.0', '2.0'] as const)
    it(`accept only v${version} tokens on request`, () => {
      const { issuers } = entra({ ...ids, tokenVersions: [version, version] })
      assert.deepEqual(
        issuers.map(({ tokenVersion }) => tokenVersion),
        [version],
      )
    })

  it("use a function's keys instead of each key set", () => {
    const keys = () => []
    const { issuers } = entra({ ...ids, keys, tokenVersions: ['1.0', '2.0'] })
    for (const issuer of issuers) {
      assert.equal(issuer.keys, keys)
      assert.equal(issuer.keySetUrl, undefined)
    }
  })

  it('do not affect the other options of the guard', () => {
    assert.equal(entra({ ...ids, realm: 'mine', maxCachedTokens: 5 }).maxCachedTokens, 5)
    const scope = 'https://a.example/.default'
    assert.equal(entra({ ...ids, scope }).scope, scope)
  })

  const rows: [change: Options, begins: string][] = [
    [{ tenantId: undefined }, 'tenantId: '],
    [{ tenantId: 'common' }, 'tenantId: '],
    [{ tenantId: tenantId.toUpperCase() }, 'tenantId: must be a GUID in lower case'],
    [{ apiApplicationId: `api://${apiApplicationId}` }, 'apiApplicationId: '],
    ...[
      'https://login.microsoftonline.com/',
      `https://login.microsoftonline.com/${tenantId}`,
      'https://login.example/localhost',
      'http://127.0.0.1:4000/common',
      'https://login.example?x',
      'http://login.example',
      'http://0.0.0.0:4000',
      'http://10.0.0.1:4000',
      'ftp://127.0.0.1',
    ].map((authUrl): [Options, string] => [{ authUrl }, 'authUrl: must be an https URL']),
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

  const origins: [authUrl: string, isLocal: boolean][] = [
    ['http://127.0.0.1:4000', true],
    ['https://127.255.255.254', true],
    ['http://127.1:4000', true],
    ['http://localhost:4000', true],
    ['https://LOCALHOST', true],
    ['http://[::1]:4000', true],
    ['https://login.microsoftonline.us', false],
    ['https://localhost.example', false],
    ['https://127.0.0.1.nip.io', false],
    ['https://127.0.0.1-x.example', false],
    ['https://notlocalhost', false],
    ['https://10.0.0.1:4000', false],
  ]
  for (const [authUrl, isLocal] of origins) {
    it(`with the authUrl ${authUrl} have ${isLocal ? 'that server' : 'Entra ID'} as the issuer`, () => {
      const expected = isLocal ? authUrl : 'https://sts.windows.net'
      const issuerOf = (more = {}) => entra({ ...ids, authUrl, ...more }).issuers[0]?.issuer
      assert.equal(issuerOf(), `${expected}/${tenantId}/`)
      assert.equal(issuerOf({ issuerUrl: 'https://as.example' }), `https://as.example/${tenantId}/`)
    })
  }

  for (const nothing of [undefined, null, 'x', 1])
    it(`cannot be replaced by ${JSON.stringify(nothing)}, and the error is a sentence`, () => {
      const options = nothing as unknown as Parameters<typeof entra>[0]
      assert.deepEqual(
        faultsOf(() => entra(options)),
        ['options: must be an object with tenantId, apiApplicationId and roles'],
      )
    })

  it('are refused by the guard if they are misspelt', () => {
    const misspelt: Options = { tenantid: tenantId }
    assert.deepEqual(
      faultsOf(() => createGuard(entra({ ...ids, ...misspelt }))),
      ['options: Unrecognized key: "tenantid"'],
    )
  })
})

describe('the options from environment variables', () => {
  const env = { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId }
  const local = { ...env, AUTH_URL: 'http://127.0.0.1:4000', CLIENT_SECRET: 'unused' }

  it('describe the tenant at Entra ID with two variables, and a local server with AUTH_URL', () => {
    const ids = { tenantId, apiApplicationId, roles }
    assert.deepEqual(entraFromEnvironment({ roles, env }), entra(ids))
    assert.deepEqual(
      entraFromEnvironment({ roles, env: local }),
      entra({ ...ids, authUrl: local.AUTH_URL, issuerUrl: local.AUTH_URL }),
    )
  })

  it('support every variable, and ignore empty ones', () => {
    const all = {
      ...local,
      ISSUER_URL: 'https://as.example',
      JWKS_URL: 'https://keys.example/k',
      TOKEN_VERSIONS: '1.0,2.0',
      TEST_KEYS: 'accepted',
    }
    const places = { issuerUrl: all.ISSUER_URL, keySetUrl: all.JWKS_URL, authUrl: all.AUTH_URL }
    assert.deepEqual(
      entraFromEnvironment({ roles, env: all }),
      entra({
        ...places,
        tenantId,
        apiApplicationId,
        roles,
        tokenVersions: ['1.0', '2.0'],
        testKeys: 'accepted',
      }),
    )
    const empty = { AUTH_URL: '', ISSUER_URL: '', JWKS_URL: '', TOKEN_VERSIONS: '', TEST_KEYS: '' }
    assert.deepEqual(
      entraFromEnvironment({ roles, env: { ...env, ...empty } }),
      entraFromEnvironment({ roles, env }),
    )
  })

  it('are overridden by options in the code', () => {
    const given = { realm: 'mine', authUrl: 'https://login.microsoftonline.us' }
    const { realm, issuers } = entraFromEnvironment({ roles, env: local, ...given })
    assert.equal(realm, 'mine')
    assert.ok(issuers[0]?.keySetUrl?.startsWith(given.authUrl))
    assert.equal(issuers[0]?.issuer, `https://sts.windows.net/${tenantId}/`)
  })

  it('come from the process environment by default', (t) => {
    t.mock.property(process, 'env', env)
    assert.deepEqual(entraFromEnvironment({ roles }), entraFromEnvironment({ roles, env }))
  })

  const rows: [change: Options, begins: string][] = [
    [{ TENANT_ID: undefined }, 'TENANT_ID: is not set (an environment variable: the directory'],
    [{ TENANT_ID: '' }, 'TENANT_ID: is not set'],
    [{ TENANT_ID: 'common' }, 'TENANT_ID: must be a GUID in lower case (an environment variable'],
    [{ API_APPLICATION_ID: undefined }, 'API_APPLICATION_ID: is not set'],
    [{ AUTH_URL: 'http://127.0.0.1:4000/' }, 'AUTH_URL: must be an https URL (http only for'],
    [{ ISSUER_URL: 'sts' }, 'ISSUER_URL: must be a URL'],
    [{ JWKS_URL: 'keys' }, 'JWKS_URL: must be a URL'],
    [{ TOKEN_VERSIONS: '3.0' }, 'TOKEN_VERSIONS: '],
    [{ TEST_KEYS: 'accepted' }, 'TEST_KEYS: may be accepted only if AUTH_URL is on this machine'],
    [
      { TEST_KEYS: 'accepted', AUTH_URL: 'https://login.microsoftonline.com' },
      'TEST_KEYS: may be accepted only',
    ],
  ]
  for (const [change, begins] of rows) {
    it(`are refused with ${JSON.stringify(change)}, and the error names the variable and its source`, () => {
      const make = () => entraFromEnvironment({ roles, env: { ...env, ...change } })
      const [fault = '', ...others] = faultsOf(make)
      assert.ok(fault.startsWith(begins), fault)
      assert.ok(fault.includes('.greeting/client.env'), fault)
      assert.deepEqual(others, [])
    })
  }

  for (const name of ['TENANT_ID', 'AUTH_URL', 'JWKS_URL', 'TEST_KEYS'])
    it(`refuse ${name} if a byte order mark precedes its name`, () => {
      const marked = { ...env, [`\ufeff${name}`]: 'x' }
      assert.deepEqual(
        faultsOf(() => entraFromEnvironment({ roles, env: marked })),
        [`${name}: a byte order mark (U+FEFF) is before its name`],
      )
    })

  it('accept v2.0 tokens with both URL schemes of a local identity provider', () => {
    const HTTPS_AUTH_URL = 'https://localhost:4443'
    const issuersOf = (change: Options) => {
      const more = { ...local, HTTPS_AUTH_URL, TOKEN_VERSIONS: '1.0,2.0', ...change }
      return entraFromEnvironment({ roles, env: more as typeof more & typeof env }).issuers
    }
    const v1 = `http://127.0.0.1:4000/${tenantId}/`
    const v2 = `${v1}v2.0`
    const secure = `${HTTPS_AUTH_URL}/${tenantId}/v2.0`
    const rows: readonly (readonly [Options, readonly string[]])[] = [
      [{}, [v1, v2, secure]],
      [{ TOKEN_VERSIONS: '1.0' }, [v1]],
      [{ TOKEN_VERSIONS: '2.0' }, [v2, secure]],
      [{ HTTPS_AUTH_URL: '' }, [v1, v2]],
      [{ HTTPS_AUTH_URL: 'https://evil.example' }, [v1, v2]],
      [
        { AUTH_URL: 'https://login.example', ISSUER_URL: 'https://i.example' },
        [`https://i.example/${tenantId}/`, `https://login.example/${tenantId}/v2.0`],
      ],
    ]
    for (const [change, issuers] of rows)
      assert.deepEqual(
        issuersOf(change).map(({ issuer }) => issuer),
        issuers,
      )
    const [, http, https] = issuersOf({})
    assert.deepEqual({ ...https, issuer: http?.issuer }, http)
  })

  it("are reported with the option's name if the code sets them wrongly", () => {
    const make = () => entraFromEnvironment({ roles, env: {}, tenantId: 'common' })
    const [tenant, api] = faultsOf(make)
    assert.equal(tenant, 'tenantId: must be a GUID in lower case')
    assert.match(api ?? '', /^API_APPLICATION_ID: is not set/)
  })

  it('are required, so the error without any names the roles and the variables', () => {
    const nothing = undefined as unknown as Parameters<typeof entraFromEnvironment>[0]
    assert.ok(faultsOf(() => createGuard(entraFromEnvironment(nothing))).length > 0)
    const rolesLess = { env } as unknown as Parameters<typeof entraFromEnvironment>[0]
    assert.match(faultsOf(() => createGuard(entraFromEnvironment(rolesLess)))[0] ?? '', /^roles: /)
  })
})
