import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  type DirectoryChange,
  graphAppId,
  ownerTenantId,
  put,
  remove,
  serverManagementAppId,
} from '@greeting/directory'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { restoreTenant } from '../../src/backup/restore-tenant.ts'
import { openSource } from '../../src/backup/store-source.ts'
import { verifyBackup } from '../../src/backup/verify-backup.ts'
import {
  api,
  assignment,
  changedIn,
  client,
  clientPrincipal,
  discarded,
  foreignApi,
  foreignPrincipal,
  graphPrincipal,
  now,
  objects,
  other,
  own,
  scene,
  secret,
  startScenes,
  stopScenes,
  toForeign,
  valuesOf,
} from './tenant-scene.ts'

before(startScenes)
after(stopScenes)

for (const kind of ['SQLite', 'PostgreSQL'] as const)
  describe(`one tenant in ${kind}, while servers run,`, () => {
    it('is restored from its backup in one commit that servers follow, and other tenants are unchanged', async (t) => {
      const { backup, change, restore, state, storage, two } = await scene(t, kind)
      const before = await state()
      const made = await backup('--tenant', own)
      assert.match(made.out, new RegExp(`It has the tenant ${own} only, and no key\\.$`))
      await change(
        put('tenant', tenant({ domains: ['other.example'], isEnabled: false })),
        put('application', { ...client, displayName: 'Renamed', passwordCredentials: [] }),
        remove('application', discarded.id),
        remove('appRoleAssignment', assignment.id),
        put('application', application({ id: guid(0x50), appId: guid(0x51) })),
        put('servicePrincipal', servicePrincipal({ id: guid(0x50), appId: guid(0x51) })),
        put('servicePrincipal', graphPrincipal),
        put('application', { ...foreignApi, displayName: 'Changed later' }),
      )
      const changed = await state()
      const revision = two.revision
      const since = two.followed

      const planned = await restore('--plan')
      assert.match(planned.out, /^Nothing was written\. .* 2 created, 2 changed, 2 removed; /)
      assert.deepEqual(await state(), changed)

      const restored = await restore()
      assert.deepEqual(restored.lines, planned.lines)
      assert.deepEqual(restored.lines.toSorted(), [
        `changed: application ${client.id} (Client), credential ${secret.keyId} is valid again`,
        `changed: tenant ${own} (Contoso)`,
        `created: appRoleAssignment ${assignment.id}`,
        `created: application ${discarded.id} (Greeting API), deleted`,
        `removed: application ${guid(0x50)} (Greeting API)`,
        `removed: servicePrincipal ${guid(0x50)} (Greeting API)`,
      ])
      const summary =
        '2 created, 2 changed, 2 removed; 1 credentials and 1 assignments are valid again'
      assert.ok(restored.out.endsWith(`back to ${now.toISOString()}: ${summary}.`), restored.out)
      const after = await state()
      const foreign = `application ${foreignApi.id}`
      const expected = valuesOf(before).map((one) =>
        one.key === foreign
          ? { ...one, value: { ...foreignApi, displayName: 'Changed later' } }
          : one,
      )
      assert.deepEqual(valuesOf(after), expected)
      assert.deepEqual(changedIn(changed, after).toSorted(), [
        `appRoleAssignment ${assignment.id}`,
        `application ${client.id}`,
        `application ${discarded.id}`,
        `application ${guid(0x50)}`,
        `servicePrincipal ${guid(0x50)}`,
        `tenant ${own}`,
      ])
      assert.equal(two.revision, revision + 1)
      const kept = await two.read((directory) => [
        directory.tenant('contoso.example')?.id,
        directory.tenant('other.example'),
        directory.servicePrincipal(graphPrincipal.id)?.appId,
      ])
      assert.deepEqual(kept, [own, undefined, graphAppId])
      const page = await two.listChanges({
        kind: 'application',
        tenantId: own,
        since,
        until: undefined,
        ids: undefined,
        after: undefined,
        limit: 10,
      })
      const followed = page?.objects.map(({ id }) => id).toSorted()
      assert.deepEqual(followed, [client.id, discarded.id, guid(0x50)].toSorted())
      const { records } = await storage.audit.find({ log: 'directory', tenantId: own, limit: 10 })
      assert.deepEqual(
        records.map(({ action, reason, target }) => [action, target, reason]),
        [['tenant.restore', own, `state of ${now.toISOString()}: ${summary}`]],
      )
      assert.match((await restore()).out, /: 0 created, 0 changed, 0 removed; /)
      assert.equal(two.revision, revision + 1)
    })

    it('has no row of another tenant and no key in its backup', async (t) => {
      const { backup, saved } = await scene(t, kind)
      await backup('--tenant', own)
      const { manifest } = await verifyBackup(saved)
      assert.deepEqual([manifest.tenantId, manifest.keyEncryptionKeyId], [own, null])
      const rows = (await readdir(saved)).filter((name) => name.endsWith('.gz'))
      const texts = await Promise.all(
        rows.map(async (name) => gunzipSync(await readFile(join(saved, name))).toString()),
      )
      const ids = objects.filter(({ id }) => texts.join().includes(`"${id}"`)).map(({ id }) => id)
      const ownIds = objects
        .filter(({ value }) => Object(value).tenantId === own)
        .map(({ id }) => id)
      assert.deepEqual(ids, [own, ...ownIds])
      assert.doesNotMatch(rows.join(), /signing_key|audit|commit_mark|removed_object/)
    })

    it('retries its restore when a server changes it at the same time', async (t) => {
      const { backup, change, place, saved, state } = await scene(t, kind)
      const before = await state()
      await backup('--tenant', own)
      const database = await openSource({ databaseUrl: undefined, ...place })
      t.after(() => database.close())
      const snapshot = database.snapshot.bind(database)
      const late: (readonly DirectoryChange[])[] = []
      t.mock.method(database, 'snapshot', async (questions: Parameters<typeof snapshot>[0]) => {
        const answer = await snapshot(questions)
        await change(...(late.shift() ?? []))
        return answer
      })
      const options = { database, tenantId: own, backup: await verifyBackup(saved), now }
      const restore = () => restoreTenant({ ...options, isPlan: false })
      const lateOne = (displayName: string) =>
        put('application', application({ id: guid(0x50), appId: guid(0x51), displayName }))
      late.push([lateOne('one')], [lateOne('another')])
      await change(remove('application', client.id))
      await restore()
      assert.deepEqual(valuesOf(await state()), valuesOf(before))
      const message = /^servers change the tenant .* all the time: try again, or disable it first$/
      late.push(...['1', '2', '3', '4', '5'].map((name) => [lateOne(name)]))
      await change(lateOne('first'))
      await assert.rejects(restore(), { code: 'tenant_conflict', message })
      await change(put('tenant', tenant({ domains: [] })))
      late.push([put('tenant', tenant({ id: other, domains: ['contoso.example'] }))])
      await assert.rejects(restore(), { code: 'tenant_conflict', message: /^the domain / })
    })
  })

describe('the restore of one tenant', () => {
  it('also accepts a backup of the whole store', async (t) => {
    const { backup, change, restore, state } = await scene(t)
    const before = await state()
    await backup()
    await change(remove('application', client.id))
    await restore()
    assert.deepEqual(valuesOf(await state()), valuesOf(before))
  })

  it('writes at most 1000 changes in one commit, so that other tenants need not wait long', async (t) => {
    const { backup, change, restore, storage, two } = await scene(t)
    const many = Array.from({ length: 1001 }, (_, index) =>
      appRoleAssignment({ id: `many ${index}`, principalId: clientPrincipal.id }),
    )
    await change(...many.map((one) => put('appRoleAssignment', one)))
    await backup('--tenant', own)
    await change(...many.map(({ id }) => remove('appRoleAssignment', id)))
    await two.refresh()
    const { revision } = two
    const { lines, out } = await restore()
    assert.match(`${lines[0]} ${out}`, /^partial: 1000 of 1001 .*: 1001 created, 0 changed/)
    await two.refresh()
    assert.equal(two.revision, revision + 2)
    assert.deepEqual(await two.read((all) => all.appRoleAssignment('many 1000')), many.at(-1))
    const { records } = await storage.audit.find({ log: 'directory', tenantId: own, limit: 10 })
    assert.equal(records.length, 1)
  })

  it('creates the tenant in another store', async (t) => {
    const { backup, saved } = await scene(t)
    await backup('--tenant', own)
    const elsewhere = await scene(t)
    await elsewhere.change(
      ...[api, client, discarded].map(({ id }) => remove('application', id)),
      remove('tenant', own),
    )
    await elsewhere.run('restore', '--tenant', own, '--from', saved)
    const found = await elsewhere.state()
    assert.deepEqual(found.find(({ key }) => key === `tenant ${own}`)?.value, objects[0]?.value)
  })

  it('soft-deletes objects that other tenants use, and skips objects whose application is deleted', async (t) => {
    const { backup, change, restore, state } = await scene(t)
    await backup('--tenant', own)
    const names = { id: guid(0x50), appId: guid(0x51), identifierUris: ['api://shared'] }
    const shared = application({ ...names, signInAudience: 'AzureADMultipleOrgs' })
    const blueprint = application({
      id: guid(0x53),
      appId: guid(0x54),
      deletedDateTime: new Date(0),
    })
    const agent = { id: guid(0x55), appId: guid(0x55), agentIdentityBlueprintId: blueprint.appId }
    await change(
      put('application', shared),
      put('application', blueprint),
      put('servicePrincipal', servicePrincipal({ ...agent, tenantId: other })),
      put(
        'servicePrincipal',
        servicePrincipal({ id: guid(0x52), appId: shared.appId, tenantId: other }),
      ),
      remove('application', foreignApi.id),
      remove('servicePrincipal', foreignPrincipal.id),
      remove('appRoleAssignment', toForeign.id),
    )
    const { lines } = await restore()
    const reason = 'its application is gone'
    assert.deepEqual(lines, [
      `changed: application ${shared.id} (Greeting API), deleted`,
      `left out: servicePrincipal ${foreignPrincipal.id} (Greeting API), ${reason}`,
      `left out: appRoleAssignment ${toForeign.id}, ${reason}`,
    ])
    const found = (await state()).find(({ key }) => key === `application ${shared.id}`)
    assert.deepEqual(found?.value, { ...shared, identifierUris: [], deletedDateTime: now })
    assert.match((await restore()).out, /: 0 created, 0 changed, 0 removed; /)
  })

  const takenBy: readonly [string, RegExp, readonly DirectoryChange[]][] = [
    [
      'its domain',
      /^the domain contoso\.example is of the tenant .*0002 now$/,
      [
        put('tenant', tenant({ domains: [] })),
        put('tenant', tenant({ id: other, domains: ['contoso.example'] })),
      ],
    ],
    [
      'an application ID',
      /^the app_id .* is of the tenant .*0002 now$/,
      [
        remove('application', client.id),
        put('application', { ...client, id: guid(0x50), tenantId: other }),
      ],
    ],
    ...(
      [
        ['application', client],
        ['servicePrincipal', clientPrincipal],
        ['appRoleAssignment', assignment],
      ] as const
    ).map(([kind, value]): [string, RegExp, readonly DirectoryChange[]] => [
      `the ID of an object of the kind ${kind}`,
      /^the id .* is of the tenant .*0002 now$/,
      [
        remove(kind, value.id),
        put(kind, { ...value, appId: guid(0x51), tenantId: other } as never),
      ],
    ]),
    [
      'the identifier URI of an API from the backup',
      /^an identifier URI is of the application .*0021 of the tenant .*0002 now$/,
      [
        put('application', { ...api, identifierUris: [] }),
        put('application', { ...foreignApi, identifierUris: ['api://greeting'] }),
      ],
    ],
  ]
  for (const [what, message, changes] of takenBy)
    it(`is refused when another tenant has ${what}`, async (t) => {
      const { backup, change, restore, state } = await scene(t)
      await backup('--tenant', own)
      await change(...changes)
      const changed = await state()
      await assert.rejects(restore(), { code: 'tenant_conflict', message })
      assert.deepEqual(await state(), changed)
    })

  it('is refused when it would give the tenant control of the server', async (t) => {
    const { backup, change, restore } = await scene(t)
    const management = application({
      id: guid(0x32),
      appId: serverManagementAppId,
      tenantId: ownerTenantId,
    })
    const principal = servicePrincipal({ id: guid(0x50), appId: serverManagementAppId })
    await change(put('application', management), put('servicePrincipal', principal))
    await backup('--tenant', own)
    await restore()
    await change(remove('servicePrincipal', principal.id))
    await assert.rejects(restore(), { code: 'tenant_conflict', message: /administers its server/ })
  })

  it('refuses a wrong tenant, wrong arguments, a damaged backup and older tables', async (t) => {
    const { backup, place, restore, run, saved } = await scene(t)
    await assert.rejects(backup('--tenant', guid(3)), {
      code: 'tenant_unknown',
      message: /^the store has no tenant .*0003$/,
    })
    await backup('--tenant', own)
    for (const [args, message] of [
      [['--from', saved], /has one tenant only: add --tenant .*0001$/],
      [['--from', saved, '--tenant', 'contoso.example'], /^--tenant must be the ID of a tenant$/],
      [
        ['--from', saved, '--tenant', own, '--passphrase-file', 'x'],
        /^--passphrase-file is for keys/,
      ],
      [['--from', saved, '--plan'], /^--plan is for the restore of a --tenant <id>$/],
    ] as const)
      await assert.rejects(run('restore', ...args), { code: 'backup_usage', message })
    await assert.rejects(run('backup', '--to', 'x', '--plan'), { code: 'backup_usage' })
    await assert.rejects(run('restore', '--from', saved, '--tenant', other), {
      code: 'tenant_unknown',
      message: /^the backup has no tenant .*0002, but only .*0001$/,
    })
    const data = new DatabaseSync(join(place.dataDir, 'greeting.sqlite'))
    data.exec('delete from kysely_migration')
    data.close()
    await assert.rejects(restore(), { code: 'store_older', message: /start this release first$/ })
    await writeFile(join(saved, 'application.jsonl.gz'), '')
    await assert.rejects(restore(), { code: 'backup_damaged' })
  })
})
