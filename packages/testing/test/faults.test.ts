import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FaultSpecError, FaultsNotAppliedError } from '@greeting/identity-provider/lab'
import { startEntra } from '../src/index.ts'
import { useEntra } from '../src/node-test.ts'

const registrations = {
  apis: { 'Orders API': { roles: ['Orders.Read'] } },
  clients: {
    'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } },
    'Report job': { roles: { 'Orders API': ['Orders.Read'] } },
  },
} as const

const partOf = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())

describe('a fault', () => {
  const entra = useEntra({ registrations })
  const token = () => entra().client('Payroll job').token()
  const keys = () => fetch(`${entra().url}/common/discovery/keys`)
  const kids = async () =>
    (await (await keys()).json()).keys.map(({ kid }: { kid: string }) => kid) as string[]

  it('breaks one request by default, but not the next ones', async () => {
    const { faults } = entra()
    await faults.during({ at: 'keys', fault: 'status', retryAfterSeconds: 2 }, async () => {
      const broken = await keys()
      assert.deepEqual([broken.status, broken.headers.get('retry-after')], [503, '2'])
      assert.equal((await keys()).status, 200)
    })
    assert.deepEqual(faults.list(), [])
  })

  it('breaks only the specified client and run', async () => {
    const { clientId } = entra().client('Report job')
    const { faults } = entra()
    faults.add({ at: 'token', fault: 'status', client: clientId })
    faults.add({ at: 'keys', fault: 'status', run: 'run-1' })
    await token()
    assert.equal((await keys()).status, 200)
    await assert.rejects(entra().client('Report job').token(), { status: 503 })
    const headers = { 'x-greeting-run': 'run-1' }
    const { status } = await fetch(`${entra().url}/common/discovery/keys`, { headers })
    assert.equal(status, 503)
  })

  it('expires after its time on the lab clock', async () => {
    entra().clock.freeze()
    entra().faults.add({ at: 'token', fault: 'status', seconds: 60 })
    for (let round = 0; round < 3; round += 1) await assert.rejects(token(), { status: 503 })
    entra().clock.advance({ seconds: 60 })
    await token()
  })

  it('causes an error if a test requires it and no request has triggered it', async () => {
    const { faults } = entra()
    const fault = { at: 'keys', fault: 'reset' } as const
    await assert.rejects(
      faults.during(fault, () => {}),
      FaultsNotAppliedError,
    )
    await faults.during(fault, () => {}, { mustApply: false })
  })

  for (const [spec, message] of [
    [{ at: 'keys', fault: 'secret_refused' }, /not a fault of the endpoint keys: token/],
    [{ at: 'keys', fault: 'nothing' }, /^fault: /],
    [{ at: 'keys', fault: 'status', status: 200 }, /^status: /],
    [{ at: 'keys', fault: 'status', retryAfter: 1 }, /retryAfter/],
    [{ at: 'keys', fault: 'delay' }, /^delayMs: /],
    [{ at: 'keys', fault: 'oversized', bytes: 1e9 }, /^bytes: /],
  ] as const) {
    it(`is refused with ${JSON.stringify(spec)}`, () => {
      const add = () => entra().faults.add(spec as never)
      assert.throws(add, (error) => error instanceof FaultSpecError && message.test(error.message))
    })
  }

  it('is refused if a hundred are armed', () => {
    const { faults } = entra()
    for (let count = 0; count < 100; count += 1) faults.add({ at: 'keys', fault: 'reset' })
    assert.throws(() => faults.add({ at: 'keys', fault: 'reset' }), /100 faults are armed/)
  })

  const tokenFaults = [
    ['throttled', { status: 429, error: 'temporarily_unavailable' }],
    ['secret_refused', { errorCodes: [7000215] }],
    ['client_unknown', { errorCodes: [700016] }],
    ['reset', { name: 'TypeError' }],
    ['cut', { name: 'TypeError' }],
    ['empty', { name: 'SyntaxError' }],
    ['malformed', { name: 'SyntaxError' }],
    ['not_json', { name: 'SyntaxError' }],
  ] as const
  for (const [fault, expected] of tokenFaults) {
    it(`of kind ${fault} works at the token endpoint`, async () => {
      await entra().faults.during({ at: 'token', fault }, () => assert.rejects(token(), expected))
      await token()
    })
  }

  it('of the kinds delay and drip ends with the correct response', async () => {
    await entra().faults.during({ at: 'keys', fault: 'delay', delayMs: 5, jitterMs: 5 }, kids)
    const drip = { at: 'keys', fault: 'drip', chunkBytes: 1000, pauseMs: 1 } as const
    assert.equal((await entra().faults.during(drip, kids)).length, 2)
  })

  it('of the kind pause stops when the lab is reset', async () => {
    entra().faults.add({ at: 'keys', fault: 'delay', delayMs: 60_000 })
    const slow = keys().then(
      ({ status }) => status,
      () => 0,
    )
    while (entra().faults.list()[0]?.applied === 0) await new Promise(setImmediate)
    await entra().reset()
    assert.equal(await slow, 200)
  })

  it('of the kinds oversized, content_type and redirect changes the response', async () => {
    const { faults } = entra()
    const size = await faults.during(
      { at: 'discovery', fault: 'oversized', bytes: 5000 },
      async () => (await fetch(`${entra().url}/common/.well-known/openid-configuration`)).json(),
    )
    assert.ok(size.padding.length === 5000 && size.jwks_uri)
    const typed = await faults.during({ at: 'keys', fault: 'content_type' }, keys)
    assert.equal(typed.headers.get('content-type'), 'text/plain')
    const redirected = await faults.during({ at: 'keys', fault: 'redirect' }, () =>
      fetch(`${entra().url}/common/discovery/keys`, { redirect: 'manual' }),
    )
    assert.equal(redirected.headers.get('location'), '/redirected/common/discovery/keys')
  })

  it('changes the token, which then has no roles, is expired or has an unpublished key', async () => {
    const { faults } = entra()
    const during = (fault: 'consent_delayed' | 'token_expired' | 'key_unpublished') =>
      faults.during({ at: 'token', fault }, token)
    assert.equal(partOf(await during('consent_delayed'), 1).roles, undefined)
    assert.ok(partOf(await during('token_expired'), 1).exp * 1000 < Date.now())
    const { kid } = partOf(await during('key_unpublished'), 0)
    assert.ok(!(await kids()).includes(kid))
    assert.ok((await kids()).includes(partOf(await token(), 0).kid))
  })

  it('removes the signing key or all keys from the key set', async () => {
    const active = entra().keys.activeId
    const forgotten = await entra().faults.during({ at: 'keys', fault: 'key_forgotten' }, kids)
    assert.ok(forgotten.length > 0 && !forgotten.includes(active))
    assert.deepEqual(await entra().faults.during({ at: 'keys', fault: 'keys_empty' }, kids), [])
  })

  it('has the format of a Graph error at Microsoft Graph', async () => {
    const { graph } = entra()
    await entra().faults.during({ at: 'graph', fault: 'throttled' }, () =>
      assert.rejects(graph.send('GET', '/applications'), { status: 429 }),
    )
  })
})

it('the log distinguishes armed faults from triggered faults', async () => {
  const rows: unknown[] = []
  const log = { info: (_: object, text: string) => rows.push(text), error: () => {} }
  await using entra = await startEntra({ labOptions: { log: log as never } })
  const fault = { at: 'keys', fault: 'status' } as const
  await entra.faults.during(fault, () => {}, { mustApply: false })
  await entra.faults.during(fault, () => fetch(`${entra.url}/common/discovery/keys`))
  const [armed, applied, cleared] = ['fault armed', 'fault applied', 'fault cleared']
  assert.deepEqual(rows, [armed, cleared, armed, applied, cleared])
})

describe('the signing keys in the kit', () => {
  const entra = useEntra({ registrations })
  const kidOfToken = async () => partOf(await entra().client('Payroll job').token(), 0).kid

  it('rotate immediately, and the previous key stays published', async () => {
    const before = await kidOfToken()
    const after = await entra().keys.rotate()
    assert.notEqual(before, after)
    assert.equal(await kidOfToken(), after)
    const phases = new Map(
      entra()
        .keys.list()
        .map(({ kid, phase }) => [kid, phase]),
    )
    assert.equal(phases.get(before), 'retired')
  })

  it('can be removed by a revocation', async () => {
    const before = await kidOfToken()
    await entra().keys.revoke()
    assert.notEqual(await kidOfToken(), before)
    assert.ok(
      !entra()
        .keys.list()
        .some(({ kid }) => kid === before),
    )
  })
})

describe('consent and secrets', () => {
  const entra = useEntra({ registrations })
  const roles = async () => partOf(await entra().client('Payroll job').token(), 1).roles

  it('can be withdrawn, granted again and expired', async () => {
    await entra().withdrawConsent('Payroll job', 'Orders API')
    assert.equal(await roles(), undefined)
    await entra().consent('Payroll job', 'Orders API', ['Orders.Read'])
    assert.deepEqual(await roles(), ['Orders.Read'])
    await entra().expireSecrets('Payroll job')
    await assert.rejects(roles(), { errorCodes: [7000222] })
    await entra().reset()
    assert.deepEqual(await roles(), ['Orders.Read'])
  })
})
