import assert from 'node:assert/strict'
import { before, describe, it, mock } from 'node:test'
import { graphAppId, put } from '@greeting/directory'
import { exportJWK, SignJWT } from 'jose'
import { DirectoryIndex } from '../../../../../test/fixtures/directory/directory-index.ts'
import { guid, tenant } from '../../../../../test/fixtures/directory/sample.ts'
import { rsaKeyPair } from '../../../../../test/fixtures/rsa-key-pair.ts'
import { authenticateWithGuard } from '../../../src/management/privileges/authenticate-with-guard.ts'
import { GraphError } from '../../../src/management/refusals/graph-error.ts'
import { contoso, fabrikam } from '../sample-graph.ts'

const issuerUrl = 'https://login.example'
const graph = 'https://graph.microsoft.com'
const nowSeconds = 1_800_000_000

type Pair = Awaited<ReturnType<typeof makeKey>>

async function makeKey(kid: string) {
  const { privateKey, publicKey } = rsaKeyPair()
  return { kid, privateKey, published: { ...(await exportJWK(publicKey)), kid, use: 'sig' } }
}

const token = ({ kid, privateKey }: Pair, part: object = {}) =>
  new SignJWT({
    aud: graph,
    iss: `${issuerUrl}/${contoso.id}/`,
    iat: nowSeconds,
    nbf: nowSeconds,
    exp: nowSeconds + 3600,
    appid: guid(7),
    oid: guid(8),
    sub: guid(8),
    tid: contoso.id,
    uti: 'x',
    ver: '1.0',
    roles: ['Application.Read.All', 'CallHiApiRole'],
    ...part,
  })
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid })
    .sign(privateKey)

describe('a caller of the management API', () => {
  let first: Pair
  let second: Pair
  let third: Pair
  before(async () => {
    first = await makeKey('first')
    second = await makeKey('second')
    third = await makeKey('third')
  })

  function guarded(published: () => readonly Pair[], tenants = [contoso, fabrikam]) {
    const directory = new DirectoryIndex()
    const changes = tenants.map((one) => ({ ...put('tenant', one), mark: 'mark 1' }))
    directory.apply(1, changes)
    const authenticate = authenticateWithGuard(
      {
        issuerUrls: [issuerUrl, 'http://127.0.0.1:4000'],
        audiences: [graph, graphAppId],
        roles: ['Application.Read.All'],
        publishedKeys: () => published().map(({ published, kid }) => ({ ...published, kid })),
        wallClockMs: () => nowSeconds * 1000,
      },
      { read: (decide) => decide(directory) },
    )
    const ask = (authorization: string | undefined, environment?: unknown) =>
      authenticate(
        new Request(`${issuerUrl}/v1.0/applications`, {
          headers: authorization === undefined ? {} : { authorization },
        }),
        environment,
      )
    return { ask, directory }
  }

  const refusal = (name: string, message?: RegExp) => (error: unknown) => {
    assert.ok(error instanceof GraphError)
    assert.equal(error.refusal, name)
    if (message) assert.match(error.message, message)
    return true
  }

  it('is authenticated by a token from any tenant of this server, with the roles of this API', async () => {
    const { ask } = guarded(() => [first])
    assert.deepEqual(await ask(`Bearer ${await token(first)}`), {
      tenantId: contoso.id,
      applicationId: guid(7),
      roles: ['Application.Read.All'],
    })
    const iss = `${issuerUrl}/${fabrikam.id}/`
    const other = await ask(`Bearer ${await token(first, { iss, tid: fabrikam.id })}`)
    assert.equal(other.tenantId, fabrikam.id)
    assert.ok(await ask(`Bearer ${await token(first, { aud: graphAppId })}`))
    const local = { iss: `http://127.0.0.1:4000/${contoso.id}/` }
    assert.ok(await ask(`Bearer ${await token(first, local)}`))
  })

  it('must send exactly one token', async () => {
    const { ask } = guarded(() => [first])
    const good = `Bearer ${await token(first)}`
    assert.deepEqual(await ask(good.replace(' ', '   ')), await ask(good))
    await assert.rejects(ask('Bearer \tx'), refusal('credentials_malformed'))
    await assert.rejects(ask(undefined), refusal('token_missing'))
    await assert.rejects(ask('Basic eDp5'), refusal('token_missing'))
    await assert.rejects(ask('Bearer a b'), refusal('credentials_malformed'))
    const rawHeaders = ['Authorization', good, 'authorization', good]
    await assert.rejects(ask(good, { incoming: { rawHeaders } }), refusal('credentials_malformed'))
  })

  const badTokens: readonly (readonly [string, object])[] = [
    ['for another API', { aud: `api://${guid(9)}` }],
    ['of another issuer', { iss: 'https://sts.windows.net/x/' }],
    ['whose tenant does not match its issuer', { tid: fabrikam.id }],
    ['of a tenant that does not exist', { iss: `${issuerUrl}/${guid(3)}/`, tid: guid(3) }],
    ['that has expired', { exp: nowSeconds - 61 }],
    ['that acts for a user', { scp: 'Application.Read.All' }],
  ]
  for (const [name, part] of badTokens) {
    it(`is refused with a token ${name}`, async () => {
      const { ask } = guarded(() => [first])
      await assert.rejects(
        token(first, part).then((bad) => ask(`Bearer ${bad}`)),
        refusal('token_invalid', /^Access token validation failure\. /),
      )
    })
  }

  it("is refused as soon as the token's key is revoked, and accepted with a token of the new key", async () => {
    let published = [first, second]
    const { ask } = guarded(() => published)
    const old = `Bearer ${await token(first)}`
    await ask(old)
    published = [second]
    await assert.rejects(ask(old), refusal('token_invalid', /signature/))
    await ask(`Bearer ${await token(second)}`)
    published = [second, third]
    await ask(`Bearer ${await token(third)}`)
  })

  /** A key is announced, a caller makes the guard read the keys, and another key is revoked meanwhile. */
  for (const microtasks of Array.from({ length: 21 }, (_, count) => count))
    it(`is refused if the key is revoked ${microtasks} microtasks after another read (AS32)`, async () => {
      let published = [first, second]
      const { ask } = guarded(() => published)
      const old = `Bearer ${await token(first)}`
      await ask(old)
      published = [first, second, third]
      const reading = ask(old)
      for (let turn = 0; turn < microtasks; turn += 1) await undefined
      published = [second, third]
      await assert.rejects(ask(old), refusal('token_invalid', /signature/))
      await reading.catch(() => undefined)
      await assert.rejects(ask(old), refusal('token_invalid', /signature/))
    })

  it('is refused after the last key is revoked', async () => {
    let published = [first]
    const { ask } = guarded(() => published)
    const old = `Bearer ${await token(first)}`
    await ask(old)
    published = []
    await assert.rejects(ask(old), refusal('keys_unavailable'))
  })

  it('causes as many key reads for many tenants as for one, even after a tenant is added', async () => {
    const others = Array.from({ length: 2000 }, (_, index) =>
      tenant({ id: guid(0x1000 + index), domains: [] }),
    )
    let reads = 0
    const { ask, directory } = guarded(() => {
      reads += 1
      return [first]
    }, [contoso, ...others])
    const tenants = mock.method(directory, 'tenants')
    const good = `Bearer ${await token(first)}`
    await ask(good)
    const readsForOne = reads
    directory.apply(2, [{ ...put('tenant', tenant({ id: guid(0x9000) })), mark: 'mark 2' }])
    await ask(good)
    assert.ok(reads - readsForOne <= 1, `${reads - readsForOne} reads of the keys`)
    assert.equal(tenants.mock.callCount(), 0)
  })

  it('is accepted as soon as its tenant exists', async () => {
    const { ask, directory } = guarded(() => [first], [fabrikam])
    const early = `Bearer ${await token(first)}`
    await assert.rejects(ask(early), refusal('token_invalid'))
    directory.apply(2, [{ ...put('tenant', contoso), mark: 'mark 2' }])
    await ask(early)
  })

  it('gets a server error, not a refusal, for an invalid token when no key is available', async () => {
    const { ask } = guarded(() => [])
    await assert.rejects(
      token(first).then((good) => ask(`Bearer ${good}`)),
      refusal('keys_unavailable'),
    )
  })
})
