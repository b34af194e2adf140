import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../signing/fixture-signing-key.ts'
import { withApi } from './applications/sample-api.ts'

const graphTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,6}[1-9])?Z$/

/** The times in an answer, by their names. */
const timesIn = (value: unknown, name = ''): [string, string][] => {
  if (typeof value === 'string') return /DateTime$/.test(name) ? [[name, value]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([own, one]) =>
    timesIn(one, Array.isArray(value) ? name : own),
  )
}

async function withTimes() {
  const sample = await withApi({
    passwordCredentials: [{ startDateTime: '2026-01-31T00:00:00Z', endDateTime: end }],
  })
  sample.clock.now = new Date('2026-02-01T12:00:01.120Z')
  const { admin, api } = sample
  const principal = await admin.post('/servicePrincipals', { appId: api.appId })
  const assigned = `/servicePrincipals/${principal.body.id}/appRoleAssignedTo`
  await admin.post(assigned, {
    principalId: principal.body.id,
    resourceId: principal.body.id,
    appRoleId: '00000000-0000-0000-0000-000000000000',
  })
  return { ...sample, assigned, principal: `/servicePrincipals/${principal.body.id}` }
}

const end = '2027-08-05T23:59:59Z'

describe('a time of Microsoft Graph', () => {
  // What Terraform, Azure PowerShell and scripts send, and compare with the answers as texts.
  const given: readonly (readonly [sent: string, shown: string])[] = [
    [end, end],
    ['2027-08-05T23:59:59.000Z', end],
    ['2027-08-06T01:59:59+02:00', end],
    ['2027-08-05T23:59:59.5Z', '2027-08-05T23:59:59.5Z'],
    ['2027-08-05T23:59:59.120Z', '2027-08-05T23:59:59.12Z'],
    ['2027-08-05T23:59:59.1234567Z', '2027-08-05T23:59:59.1234567Z'],
    ['2299-12-31T00:00:00Z', '2299-12-31T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ]
  for (const [sent, shown] of given)
    for (const kind of ['application', 'principal'] as const)
      it(`of a secret of an ${kind} is shown as ${shown} everywhere after ${sent} (entra E340)`, async () => {
        const { admin, path, principal } = await withTimes()
        const object = { application: path, principal }[kind]
        const passwordCredential = { startDateTime: '2026-02-01T00:00:00Z', endDateTime: sent }
        const made = await admin.post(`${object}/addPassword`, { passwordCredential })
        assert.equal(made.status, 200)
        assert.equal(made.body.startDateTime, '2026-02-01T00:00:00Z')
        assert.equal(made.body.endDateTime, shown)
        const { body } = await admin.get(object)
        const kept = (body.passwordCredentials as { keyId: string }[]).find(
          ({ keyId }) => keyId === made.body.keyId,
        )
        assert.partialDeepStrictEqual(kept, {
          startDateTime: '2026-02-01T00:00:00Z',
          endDateTime: shown,
        })
      })

  it('of a secret has seven digits by default, even when it is read later', async () => {
    const { admin, path, principal } = await withTimes()
    for (const object of [path, principal]) {
      const { body: made } = await admin.post(`${object}/addPassword`, {})
      const { startDateTime, endDateTime } = made
      assert.match(String(startDateTime), /^2026-02-01T12:00:01\.120\d{3}[1-9]Z$/)
      assert.equal(endDateTime, String(startDateTime).replace('2026', '2028'))
      const { body } = await admin.get(object)
      const kept = (body.passwordCredentials as object[]).at(-1)
      assert.partialDeepStrictEqual(kept, { startDateTime, endDateTime })
    }
  })

  for (const kind of ['application', 'principal'] as const)
    it(`of a certificate of an ${kind} remains as Terraform sent it`, async () => {
      const { admin, path, principal } = await withTimes()
      const object = { application: path, principal }[kind]
      const made = new Date('2026-01-15T00:00:00Z')
      const { certificate: key } = await fixtureSigningKey(KeyEncryptionKey.generate(), made)
      const times = { startDateTime: '2026-02-02T00:00:00Z', endDateTime: '2026-02-03T10:00:00Z' }
      const entry = { key, type: 'AsymmetricX509Cert', usage: 'Verify', ...times }
      assert.equal((await admin.patch(object, { keyCredentials: [entry] })).status, 204)
      const shown = await admin.get(object)
      assert.partialDeepStrictEqual(shown.body, { keyCredentials: [times] })
      // The second change of a plan sends back what it read.
      const { keyCredentials } = shown.body
      assert.equal((await admin.patch(object, { keyCredentials })).status, 204)
      assert.partialDeepStrictEqual((await admin.get(object)).body, { keyCredentials: [times] })
    })

  it('has seven digits in the response to a creation, and whole seconds later (entra E341)', async () => {
    const { admin, clock } = await withTimes()
    clock.now = new Date('2026-02-01T12:00:02.741Z')
    const { body: made } = await admin.post('/applications', { displayName: 'Later' })
    assert.match(String(made.createdDateTime), /^2026-02-01T12:00:02\.741\d{3}[1-9]Z$/)
    const seconds = '2026-02-01T12:00:02Z'
    assert.equal((await admin.get(`/applications/${made.id}`)).body.createdDateTime, seconds)
    for (const [condition, isFound] of [
      [`eq ${seconds}`, true],
      [`ge ${seconds}`, true],
      [`le ${seconds}`, true],
      ['ge 2026-02-01T12:00:02.0000001Z', false],
      ['le 2026-02-01T12:00:02.0000001Z', true],
      ['le 2026-02-01T12:00:01.9999999Z', false],
    ] as const) {
      const filter = `createdDateTime ${condition}`.replaceAll(' ', '%20')
      const { body } = await admin.get(`/applications?$filter=${filter}`)
      const ids = body.value.map(({ id }) => id)
      assert.equal(ids.includes(made.id), isFound, condition)
    }
  })

  const comparisons: readonly (readonly [condition: string, isFound: boolean])[] = [
    ['eq 2027-08-05T23:59:59Z', true],
    ['eq 2027-08-05T23:59:59.000Z', true],
    ['eq 2027-08-06T01:59:59%2B02:00', true],
    ['eq 2027-08-05T23:59:59.0000001Z', false],
  ]
  for (const [condition, isFound] of comparisons)
    it(`of a secret is compared as a time, not as a string: ${condition}`, async () => {
      const { admin, api } = await withTimes()
      const any = `passwordCredentials/any(p:p/endDateTime%20${condition.replace(' ', '%20')})`
      const { body } = await admin.get(`/applications?$filter=${any}`)
      assert.equal(
        body.value.some(({ id }) => id === api.id),
        isFound,
      )
    })

  it('has no trailing zeros in any response', async () => {
    const { admin, assigned, path, principal } = await withTimes()
    await admin.post(`${path}/addPassword`, {})
    const other = await admin.post('/applications', { displayName: 'Gone' })
    await admin.delete(`/applications/${other.body.id}`)
    const batch = { requests: [{ id: '1', method: 'GET', url: path }] }
    const answers: readonly (readonly [name: string, body: unknown, least: number])[] = [
      [path, (await admin.get(path)).body, 5],
      [principal, (await admin.get(principal)).body, 1],
      [assigned, (await admin.get(assigned)).body, 1],
      ['list', (await admin.get('/applications')).body, 5],
      ['delta', (await admin.get('/applications/delta')).body, 5],
      ['expand', (await admin.get(`${principal}?$expand=appRoleAssignments`)).body, 2],
      ['deleted', (await admin.get('/directory/deletedItems/microsoft.graph.application')).body, 2],
      ['batch', (await admin.post('/$batch', batch)).body, 5],
      ['organization', (await admin.get('/organization')).body, 1],
    ]
    for (const [name, body, least] of answers) {
      const times = timesIn(body)
      assert.ok(times.length >= least, `${name}: ${JSON.stringify(body)}`)
      for (const [property, time] of times) assert.match(time, graphTime, `${name} ${property}`)
    }
  })
})
