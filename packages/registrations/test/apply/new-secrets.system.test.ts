import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { GraphFixture } from '../../../../test/fixtures/graph/graph-fixture.ts'
import type { SecretSink } from '../../src/apply/index.ts'
import { sampleFile } from '../samples.ts'

/** The sample, applied without the secret of its client. */
async function withoutSecret(): Promise<GraphFixture> {
  const fixture = await GraphFixture.start()
  const clients = sampleFile().clients.map(({ secrets: _, ...client }) => client)
  await fixture.apply({ ...sampleFile(), clients })
  return fixture
}

/** The API of the sample, applied without its client. */
async function withoutClient(visibilityDelaySeconds = 0): Promise<GraphFixture> {
  const fixture = await GraphFixture.start({ visibilityDelaySeconds })
  await fixture.apply({ apis: sampleFile().apis })
  return fixture
}

const passwordsOf = async ({ tenant }: GraphFixture) =>
  (await tenant.applications()).flatMap(({ passwordCredentials }) => passwordCredentials)

const keyIdsOf = async (fixture: GraphFixture) =>
  (await passwordsOf(fixture)).map((one) => (one as { readonly keyId: string }).keyId)

const newApplication = () => ({
  id: randomUUID(),
  appId: randomUUID(),
  displayName: 'Greeting client',
})

describe('a new secret', () => {
  it("is created in the request for a new client, together with the client's other secrets", async () => {
    const fixture = await withoutClient()
    fixture.tenant.lines.length = 0
    const { sink } = fixture
    // The first secret takes longer.
    const keep: SecretSink['keep'] = async (secret) => {
      if (secret.secret === 'First') await new Promise((resolve) => setImmediate(resolve))
      await sink.keep(secret)
    }
    fixture.sink = { ...sink, keep }
    const secrets = ['First', 'Second'].map((displayName) => ({ displayName }))
    const clients = sampleFile().clients.map((client) => ({ ...client, secrets }))
    const { stopped } = await fixture.apply({ ...sampleFile(), clients })
    assert.equal(stopped, undefined)
    assert.deepEqual(
      fixture.secrets.map(({ secret }) => secret),
      ['First', 'Second'],
    )
    assert.equal(new Set(fixture.secrets.map(({ secretText }) => secretText)).size, 2)
    const requests = fixture.tenant.lines.filter((line) => line.includes('/applications'))
    assert.deepEqual(
      requests.filter((line) => !line.startsWith('GET ')),
      ['POST /applications'],
    )
  })

  it('replaces a secret whose value was lost with the response for its client', async () => {
    const fixture = await withoutClient(1)
    const line = /^POST \/applications$/
    fixture.tenant.faults.push({ line, status: 0, times: 1, afterwards: true })
    const secrets = ['First', 'Second'].map((displayName) => ({ displayName }))
    const clients = sampleFile().clients.map((client) => ({ ...client, secrets }))
    const { stopped, done } = await fixture.apply({ ...sampleFile(), clients })
    assert.equal(stopped, undefined)
    assert.equal(done.filter(({ kind }) => kind === 'createSecret').length, 2)
    fixture.advance(5000)
    assert.deepEqual(
      fixture.secrets.map(({ secret }) => secret),
      ['First', 'Second'],
    )
    assert.deepEqual(
      await keyIdsOf(fixture),
      fixture.secrets.map(({ keyId }) => keyId),
    )
    assert.equal((await fixture.tenant.applications()).length, 2)
  })

  for (const status of [0, 503]) {
    it(`is replaced if its response was lost (${status || 'connection cut'})`, async () => {
      const fixture = await withoutSecret()
      fixture.tenant.faults.push({ line: /addPassword/, status, times: 1, afterwards: true })
      const { stopped } = await fixture.apply(sampleFile())
      assert.equal(stopped, undefined)
      assert.equal(fixture.secrets.length, 1)
      assert.deepEqual(await keyIdsOf(fixture), [fixture.secrets[0]?.keyId])
    })
  }

  for (const status of [400, 403]) {
    it(`is requested only once if the directory refuses it with ${status}`, async () => {
      const fixture = await withoutSecret()
      fixture.tenant.faults.push({ line: /addPassword/, status, times: 2 })
      fixture.tenant.lines.length = 0
      const { stopped } = await fixture.apply(sampleFile())
      assert.equal(stopped?.change.kind, 'createSecret')
      assert.equal(fixture.tenant.lines.filter((line) => line.includes('Password')).length, 1)
    })
  }

  it('leaves other secrets with the same name when it is replaced', async () => {
    const fixture = await withoutSecret()
    await fixture.apply(sampleFile())
    const [first] = await keyIdsOf(fixture)
    fixture.advance(60_000)
    fixture.tenant.faults.push({ line: /addPassword/, status: 0, times: 1, afterwards: true })
    assert.equal(
      (await fixture.apply(sampleFile(), { rotate: new Set(['Greeting client']) })).stopped,
      undefined,
    )
    assert.deepEqual(await keyIdsOf(fixture), [first, fixture.secrets.at(-1)?.keyId])
  })

  for (const [client, environment] of [
    ['new', withoutClient],
    ['existing', withoutSecret],
  ] as const) {
    it(`for ${client === 'new' ? 'a new' : 'an existing'} client is removed if it cannot be stored, and created in the next run`, async () => {
      const fixture = await environment()
      const { sink } = fixture
      const keep = async () => {
        throw new Error('the disk is full')
      }
      fixture.sink = { prepare: async () => undefined, keep }
      const { stopped } = await fixture.apply(sampleFile())
      assert.match(String(stopped?.error), /the disk is full/)
      assert.deepEqual(await passwordsOf(fixture), [])
      fixture.sink = sink
      assert.equal((await fixture.apply(sampleFile())).stopped, undefined)
      assert.equal(fixture.secrets.length, 1)
      assert.equal((await passwordsOf(fixture)).length, 1)
    })
  }

  it('is named if the response for its client does not contain it', async () => {
    const fixture = await withoutClient()
    const body = { ...newApplication(), passwordCredentials: [] }
    fixture.tenant.faults.push({ line: /^POST \/applications$/, status: 200, times: 1, body })
    const { stopped } = await fixture.apply(sampleFile())
    assert.match(
      String(stopped?.error),
      /^Error: The response to POST \/applications has no secret "primary"$/,
    )
  })

  const times = { startDateTime: '2026-03-01T12:00:00Z', endDateTime: '2026-08-28T12:00:00Z' }
  const badAnswers = [
    {
      line: /addPassword/,
      environment: withoutSecret,
      found: 'keyId, endDateTime',
      body: { secretText: 'canary~secret' },
    },
    {
      line: /^POST \/applications$/,
      environment: withoutClient,
      found: 'passwordCredentials.0.secretText',
      body: {
        ...newApplication(),
        passwordCredentials: [
          { ...times, keyId: randomUUID(), displayName: 'primary', secretText: ['canary~secret'] },
        ],
      },
    },
  ]
  for (const { line, environment, found, body } of badAnswers) {
    it(`appears in no error and no report if the response to ${line.source} has another format`, async () => {
      const fixture = await environment()
      fixture.tenant.faults.push({ line, status: 200, times: 1, body })
      const shown = inspect(await fixture.apply(sampleFile()), { depth: 10 })
      assert.ok(shown.includes(`has an unexpected form: ${found}`), shown)
      assert.doesNotMatch(shown, /canary/)
      assert.doesNotMatch(
        shown,
        new RegExp(RegExp.escape(fixture.tenant.administrator.CLIENT_SECRET)),
      )
    })
  }
})
