import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { startIdentityProviderIn } from '../../../../test/fixtures/identity-provider.ts'
import {
  graphClientOf,
  readAdministratorSettings,
} from '../../../src/administrator/administrator-settings.ts'
import { endedCommand } from '../../fakes/terminal.ts'

const created = z.object({ id: z.string(), appId: z.string() })
const secrets = z.object({ passwordCredentials: z.array(z.object({ displayName: z.string() })) })

describe('greeting registrations remove after a credential leaked', () => {
  it('removes the old secrets first, then an application permanently', async () => {
    const folder = freshFolder()
    await using _ = await startIdentityProviderIn(folder)
    const settings = await readAdministratorSettings({}, join(folder, 'administrator.env'))
    const graph = graphClientOf(settings, {})
    const send = async (method: 'GET' | 'POST', path: string, body?: object) =>
      (await graph.send({ method, path, ...(body && { body }) })).body
    const made = await send('POST', '/applications', { displayName: 'Job' })
    const { id, appId } = created.parse(made)
    for (const [displayName, startDateTime] of [
      ['leaked', '2026-01-02T00:00:00Z'],
      ['latest', '2026-01-03T00:00:00Z'],
      ['older', '2026-01-01T00:00:00Z'],
    ]) {
      const endDateTime = '2999-01-01T00:00:00Z'
      const passwordCredential = { displayName, startDateTime, endDateTime }
      await send('POST', `/applications/${id}/addPassword`, { passwordCredential })
    }
    const remove = (...args: string[]) =>
      endedCommand('registrations', 'remove', ...args, '--data-dir', folder)
    const left = async () => secrets.parse(await send('GET', `/applications/${id}`))

    const asked = await remove(appId)
    assert.equal(asked.code, 2)
    assert.match(asked.err, /Nothing was changed. Use --yes to confirm/)
    const cleaned = await remove(appId, '--old-secrets', '--yes')
    assert.deepEqual([cleaned.out, cleaned.err], [`${appId}: 2 secrets are removed.\n`, ''])
    assert.deepEqual(await left(), { passwordCredentials: [{ displayName: 'latest' }] })

    const removed = await remove(appId.toUpperCase(), '--yes')
    assert.deepEqual([removed.out, removed.err], [`${appId}: it is removed for ever.\n`, ''])
    const deleted = await graph.list('/directory/deletedItems/microsoft.graph.application', created)
    assert.deepEqual(deleted, [])
    assert.equal((await remove(appId, '--yes')).code, 1)
  })

  it('removes an agent permanently, but no other service principal', async () => {
    const folder = freshFolder()
    await using _ = await startIdentityProviderIn(folder)
    const settings = await readAdministratorSettings({}, join(folder, 'administrator.env'))
    const graph = graphClientOf(settings, {})
    const post = async (path: string, body: object) =>
      created.parse((await graph.send({ method: 'POST', path, body })).body)
    const sponsor = 'https://graph.microsoft.com/v1.0/users/3f0f5d0e-6a1b-4f57-9b0a-0f7f4a2f9c01'
    const named = { displayName: 'Helper', 'sponsors@odata.bind': [sponsor] }
    const type = 'microsoft.graph.agentIdentity'
    const { appId } = await post(`/applications/${type}Blueprint`, named)
    const principal = await post('/servicePrincipals', { appId })
    const agent = await post(`/servicePrincipals/${type}`, {
      ...named,
      agentIdentityBlueprintId: appId,
    })
    const remove = (id: string) =>
      endedCommand('registrations', 'remove', id, '--yes', '--data-dir', folder)
    assert.equal((await remove(principal.id)).code, 1)
    assert.equal((await remove(agent.id)).out, `${agent.id}: it is removed for ever.\n`)
    const left = `/servicePrincipals?$filter=${encodeURIComponent(`appId eq '${appId}'`)}`
    assert.equal((await graph.list(left, created)).length, 1)
    for (const path of [
      `/servicePrincipals/${type}`,
      '/directory/deletedItems/microsoft.graph.servicePrincipal',
    ])
      assert.deepEqual(await graph.list(path, created), [])
  })

  it('refuses a name instead of an application ID', async () => {
    const { code, err } = await endedCommand('registrations', 'remove', "x')/owners", '--yes')
    assert.equal(code, 2)
    assert.match(err, /must be an application ID/)
  })
})
