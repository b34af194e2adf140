import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Runtime } from '@greeting/directory'
import type { AgreedClock } from '@greeting/directory/clock'
import type { DirectoryStore } from '@greeting/directory/live'
import { bootstrap } from './bootstrap.ts'

const createdFile = 'store-created'
const createdText = 'The folder has a store. If that is lost, a start needs LOST_CHANGES=accept.\n'

/** The files that a start writes to its folder only after the store has a tenant. */
export const storeTraces = ['administrator.env', 'seeded.json', createdFile]

/** Writes a file that shows later that the store was lost, if the folder can be written. */
export const noteStoreCreated = (dataDir: string) =>
  writeFile(join(dataDir, createdFile), createdText, { flag: 'wx', mode: 0o600 }).catch(() => {})

type FirstStart = {
  readonly store: DirectoryStore
  readonly settings: {
    readonly DATA_DIR: string
    readonly NEW_ADMINISTRATOR: 'yes' | 'no'
    readonly TENANT_ID?: string | undefined
  }
  readonly authUrl: string
  readonly runtime: Runtime
  readonly log: Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>
}

/** Creates an administrator if the directory has none, or if the settings require a new one. */
export async function ensureAdministrator(
  { store, settings, authUrl, runtime, log }: FirstStart,
  { latestAgreed }: Pick<AgreedClock, 'latestAgreed'>,
): Promise<void> {
  const { DATA_DIR: dataDir, NEW_ADMINISTRATOR, TENANT_ID } = settings
  const isCreated = await bootstrap({
    store,
    dataDir,
    authUrl,
    graphUrl: authUrl,
    firstTenant: {
      id: TENANT_ID ?? runtime.newGuid(),
      displayName: 'Default Directory',
      domains: [],
    },
    anotherAdministrator: NEW_ADMINISTRATOR === 'yes',
    latestAgreed,
    runtime,
    onStaleFile: (err) =>
      log.warn({ err }, 'administrator.env has an earlier address of this server'),
  })
  if (isCreated) log.info({ file: join(dataDir, 'administrator.env') }, 'administrator created')
}
