import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { rsaKeyPair } from '../../../test/fixtures/rsa-key-pair.ts'
import { ForgeriesAcceptedError, GenuineTokenRefusedError, startEntra } from '../src/index.ts'

const registrations = {
  apis: {
    'Orders API': { roles: ['Orders.Read'] },
    'Invoices API': { roles: ['Invoices.Read'], tokenVersion: '2.0' },
  },
  clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
} as const

const partOf = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())

describe('mint', () => {
  it('creates the token that the server would issue, with all roles', async () => {
    await using entra = await startEntra({ registrations })
    const minted = partOf(await entra.mint('Orders API'), 1)
    const issued = partOf(await entra.client('Payroll job').token('Orders API'), 1)
    for (const name of ['aud', 'iss', 'appid', 'oid', 'sub', 'tid', 'ver', 'roles']) {
      assert.deepEqual(minted[name], issued[name], name)
    }
    assert.deepEqual(Object.keys(minted), Object.keys(issued))
  })

  it('changes and removes claims and header members', async () => {
    await using entra = await startEntra({ registrations })
    const token = await entra.mint('Invoices API', {
      roles: [],
      claims: { tid: undefined, ver: '9' },
      header: { typ: 'x' },
    })
    const { tid, ver, roles, azp } = partOf(token, 1)
    assert.deepEqual([tid, ver, roles], [undefined, '9', undefined])
    assert.match(azp, /^[0-9a-f-]{36}$/)
    assert.equal(partOf(token, 0).typ, 'x')
  })
})

it('mint signs with a test key under the ID of the published key', async () => {
  await using entra = await startEntra({ registrations })
  const { privateKey, publicKey } = rsaKeyPair()
  const token = await entra.mint('Orders API', { key: privateKey })
  const [header = '', claims = '', signature = ''] = token.split('.')
  const content = Buffer.from(`${header}.${claims}`)
  assert.ok(verify('sha256', content, publicKey, Buffer.from(signature, 'base64url')))
  assert.equal(partOf(token, 0).kid, entra.keys.activeId)
})

describe('the forgeries', () => {
  it('include at least forty different tokens, each with a reason', async () => {
    await using entra = await startEntra({ registrations })
    for (const api of ['Orders API', 'Invoices API'] as const) {
      const forgeries = await entra.forgeries(api)
      assert.ok(forgeries.length >= 40)
      assert.equal(new Set(forgeries.map(({ token }) => token)).size, forgeries.length)
      const genuine = await entra.mint(api)
      assert.ok(forgeries.every(({ token }) => token !== genuine))
    }
  })
})

describe('assertRefusesForgeries', () => {
  it('shows a table with the accepted forgeries and the forgeries that broke the API', async () => {
    await using entra = await startEntra({ registrations })
    const [first, second] = await entra.forgeries('Orders API')
    const api = (token: string) => {
      // Header and claims are the same in both calls, but for the random claims.
      const { alg } = token.includes('.') ? partOf(token, 0) : { alg: '' }
      if (alg === 'none') return { status: 200 }
      if (alg === 'nOnE') throw new Error('the API has crashed')
      return {
        status: token.split('.').length === 3 && alg === 'RS256' && isGenuine(token) ? 204 : 401,
      }
    }
    let isFirst = true
    const isGenuine = (_token: string) => {
      const was = isFirst
      isFirst = false
      return was
    }
    await assert.rejects(entra.assertRefusesForgeries('Orders API', api), (error) => {
      assert.ok(error instanceof ForgeriesAcceptedError)
      const outcomes = error.results.map(({ name, status, outcome }) => [name, status, outcome])
      assert.deepEqual(outcomes.slice(0, 2), [
        [first?.name, 200, 'accepted'],
        [second?.name, 0, 'failed'],
      ])
      assert.match(error.message, /algorithm_none +200 +RFC 8725 section 2\.1 +A token without/)
      return true
    })
  })

  it('draws no conclusion if the API accepts no token', async () => {
    await using entra = await startEntra({ registrations })
    await assert.rejects(
      entra.assertRefusesForgeries('Orders API', () => ({ status: 401 })),
      GenuineTokenRefusedError,
    )
  })
})
