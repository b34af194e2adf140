import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  application,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { AgreedTime } from '../../src/clock/agreed-time.ts'
import { beginning } from '../../src/live/commit.ts'
import { put } from '../../src/model/directory-change.ts'
import type { FreshStorage } from './fresh-storage.ts'

const now = new Date('2030-01-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
const secret = (n: number, endDateTime: Date) => ({
  keyId: guid(n),
  displayName: null,
  hint: 'abc',
  startDateTime: inDays(-900),
  endDateTime,
  secretSha256: new Uint8Array(32),
})

/** Tests that a store finds the credentials that expire. */
export function endingCredentialsConformance(fresh: FreshStorage): void {
  it('are found within a time range, and counted by a cleanup', async () => {
    const storage = await (await fresh()).open()
    assert.deepEqual(storage.usage().endingCredentials, {
      secret: undefined,
      certificate: undefined,
    })
    const ends = [-1, 1, 30, 31].map((days, n) => secret(n, inDays(days)))
    const present = application({ passwordCredentials: ends })
    const deleted = application({
      id: guid(90),
      appId: guid(91),
      identifierUris: [],
      passwordCredentials: [secret(9, inDays(2))],
      deletedDateTime: now,
    })
    const certificate = {
      keyId: guid(7),
      displayName: 'CN=job',
      startDateTime: now,
      endDateTime: inDays(5),
      certificate: new Uint8Array(1),
      sha1Thumbprint: 'a',
      sha256Thumbprint: 'b',
    }
    const principal = servicePrincipal({
      passwordCredentials: [secret(5, inDays(3))],
      keyCredentials: [certificate],
    })
    const others = { deletedDateTime: now, id: guid(92), keyCredentials: [certificate] }
    const changes = [
      put('tenant', tenant()),
      ...[present, deleted].map((value) => put('application', value)),
      put('servicePrincipal', principal),
      put('servicePrincipal', servicePrincipal(others)),
    ]
    await storage.directory.commit(beginning, 'first', changes, [])
    await storage.tidy(now, new AgreedTime(now))
    assert.deepEqual(storage.usage().endingCredentials, { secret: 3, certificate: 1 })
    const find = (tenantId: string, limit: number) =>
      storage.findEndingCredentials(tenantId, inDays(-5), inDays(30), limit)
    const found = await find(present.tenantId, 10)
    assert.deepEqual(
      found.map(({ keyId }) => keyId),
      [guid(0), guid(1), guid(5), guid(7)],
    )
    assert.deepEqual(found[3], {
      kind: 'certificate',
      keyId: guid(7),
      displayName: 'CN=job',
      endDateTime: inDays(5),
      appId: principal.appId,
      applicationName: principal.displayName,
    })
    assert.deepEqual(found[0], {
      kind: 'secret',
      keyId: guid(0),
      displayName: null,
      endDateTime: inDays(-1),
      appId: present.appId,
      applicationName: present.displayName,
    })
    assert.equal((await find(present.tenantId, 1)).length, 1)
    assert.deepEqual(await find(guid(99), 10), [])
    const after = [put('servicePrincipal', { ...principal, passwordCredentials: [] })]
    await storage.directory.commit({ revision: 1, mark: 'first' }, 'second', after, [])
    assert.equal((await find(present.tenantId, 10)).length, 3)
  })
}
