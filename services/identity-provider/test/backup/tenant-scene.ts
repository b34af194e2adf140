import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  createPassword,
  type DirectoryChange,
  graphAppId,
  ownerTenantId,
  put,
  systemRuntime,
} from '@greeting/directory'
import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import { patientStore } from '../../../../test/fixtures/directory/patient-store.ts'
import {
  application,
  appRoleAssignment,
  guid,
  policy,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import type { Place } from '../../../../test/fixtures/directory/writer.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { backupCommands } from '../../src/backup/backup-command.ts'

export const [own, other] = [guid(1), guid(2)]
export const now = new Date('2030-01-01T00:00:00Z')
export const { credential: secret } = createPassword(
  { endDateTime: new Date('2031-01-01T00:00:00Z') },
  systemRuntime,
)

export const api = application({ identifierUris: ['api://Greeting'] })
const apiPrincipal = servicePrincipal()
export const client = application({
  id: guid(0x10),
  appId: guid(0x11),
  displayName: 'Client',
  passwordCredentials: [secret, { ...secret, keyId: guid(0x15), endDateTime: now }],
})
export const clientPrincipal = servicePrincipal({ id: guid(0x12), appId: guid(0x11) })
export const assignment = appRoleAssignment({ principalId: guid(0x12) })
export const discarded = application({ id: guid(0x13), appId: guid(0x14), deletedDateTime: now })
/** An API of another tenant, and its service principal in the restored tenant. */
export const foreignApi = application({
  id: guid(0x20),
  appId: guid(0x21),
  tenantId: other,
  signInAudience: 'AzureADMultipleOrgs',
})
export const foreignPrincipal = servicePrincipal({ id: guid(0x22), appId: guid(0x21) })
export const toForeign = appRoleAssignment({
  id: 'to the foreign API',
  principalId: guid(0x12),
  resourceId: guid(0x22),
})
/** The own tenant does not know it, so it may have the same name. */
const unknownApi = application({
  id: guid(0x23),
  appId: guid(0x24),
  tenantId: other,
  identifierUris: ['api://greeting'],
})
const agent = servicePrincipal({
  id: guid(0x16),
  appId: guid(0x16),
  agentIdentityBlueprintId: client.appId,
})
const graph = application({ id: guid(0x30), appId: graphAppId, tenantId: ownerTenantId })
export const graphPrincipal = servicePrincipal({ id: guid(0x31), appId: graphAppId })

export const objects: readonly DirectoryChange[] = [
  put('tenant', tenant({ policies: [policy(0x40)] })),
  put('tenant', tenant({ id: other, displayName: 'Fabrikam', domains: ['fabrikam.example'] })),
  ...[api, client, discarded, foreignApi, unknownApi, graph].map((one) => put('application', one)),
  ...[apiPrincipal, clientPrincipal, agent, foreignPrincipal].map((one) =>
    put('servicePrincipal', one),
  ),
  put('appRoleAssignment', assignment),
  put('appRoleAssignment', toForeign),
]

/** All that the scenes have, and what they create later. */
const keys = [
  ...objects.map(({ kind, id }) => [kind, id] as const),
  ...(['application', 'servicePrincipal'] as const).map((kind) => [kind, guid(0x50)] as const),
]

const folder = freshFolder()
let server: PostgresServer
/** Starts the servers of the scenes before all tests of a file. */
export async function startScenes(): Promise<void> {
  server = await PostgresServer.start()
}
export async function stopScenes(): Promise<void> {
  await server.stop()
}

const kinds = {
  SQLite: async (name: string): Promise<Place> => ({ dataDir: join(folder, name) }),
  PostgreSQL: async (name: string): Promise<Place> => ({
    dataDir: join(folder, name),
    databaseUrl: await server.database(),
  }),
}

/** A store with two tenants, and two servers that use it. */
export async function scene(t: TestContext, kind: keyof typeof kinds = 'SQLite') {
  const place = await kinds[kind](crypto.randomUUID())
  const [storage, sameStorage] = [await openLocalStorage(place), await openLocalStorage(place)]
  t.after(() => Promise.all([storage.close(), sameStorage.close()]))
  const one = patientStore(storage.directory)
  const two = patientStore(sameStorage.directory)
  const change = (...changes: readonly DirectoryChange[]) =>
    one.update(() => ({ changes, audit: [], result: undefined }))
  await change(...objects)
  const run = async (name: keyof typeof backupCommands, ...args: readonly string[]) => {
    const lines: string[] = []
    const out = await backupCommands[name](args, {
      databaseUrl: undefined,
      ...place,
      keyEncryptionKey: undefined,
      now: () => now,
      progress: (line) => void lines.push(line),
    })
    return { out, lines }
  }
  const saved = `${place.dataDir}.backup`
  const backup = (...args: readonly string[]) => run('backup', '--to', saved, ...args)
  const restore = (...args: readonly string[]) =>
    run('restore', '--tenant', own, '--from', saved, ...args)
  /** What the second server has: each object, and its mark. */
  const state = async () => {
    await two.refresh()
    return two.read((directory) =>
      keys.map(([kind, id]) => ({
        key: `${kind} ${id}`,
        value: directory[kind](id),
        mark: directory.markOf(kind, id),
      })),
    )
  }
  return { backup, change, one, place, restore, run, saved, state, storage, two }
}

type State = Awaited<ReturnType<Awaited<ReturnType<typeof scene>>['state']>>
export const valuesOf = (state: State) => state.map(({ mark: _, ...one }) => one)
export const changedIn = (before: State, after: State) =>
  after.flatMap(({ key, mark }, index) => (mark === before[index]?.mark ? [] : key))
