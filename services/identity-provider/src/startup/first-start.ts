import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgreedClock } from '@greeting/directory/clock'
import type { DirectoryStore } from '@greeting/directory/live'
import { bootstrap } from '../management/bootstrap/bootstrap.ts'
import { readSeededSecrets, seedEmptyDirectory } from '../seed/seed-empty-directory.ts'
import type { OpenedParts } from './service-parts.ts'

const createdFile = 'store-created'
const createdText = 'The folder has a store. If that is lost, a start needs LOST_CHANGES=accept.\n'

/** The files that a start writes to its folder only after the store has a tenant. */
export const storeTraces = ['administrator.env', 'seeded.json', createdFile]

/** Writes a file that shows later that the store was lost, if the folder can be written. */
export const noteStoreCreated = (dataDir: string) =>
  writeFile(join(dataDir, createdFile), createdText, { flag: 'wx', mode: 0o600 }).catch(() => {})

type FirstStart = Pick<OpenedParts, 'settings' | 'environment' | 'log'>

/** Applies the registrations file of the settings to an empty directory. */
export async function seedDirectory(
  { settings, environment: { runtime }, log }: FirstStart,
  directory: DirectoryStore,
): Promise<void> {
  const { REGISTRATIONS: path, DATA_DIR, TENANT_ID, LAB_CLIENT_SECRET } = settings
  if (path === undefined) return
  const registrations = async () => {
    // Loaded for an empty directory only.
    const { readSeedRegistrations } = await import('../seed/seed-registrations.ts')
    return readSeedRegistrations(await readFile(path), path, {
      newGuid: runtime.newGuid,
      now: runtime.now,
      tenantId: TENANT_ID ?? runtime.newGuid(),
    })
  }
  const isSeeded = await seedEmptyDirectory(
    directory,
    registrations,
    DATA_DIR,
    runtime,
    LAB_CLIENT_SECRET,
  )
  if (isSeeded) {
    log.info({ registrations: path }, 'registrations applied to the empty directory')
  } else {
    const secrets = await readSeededSecrets(DATA_DIR)
    const isChosen = (secret: string) => secret === LAB_CLIENT_SECRET
    const unused = [
      ...(secrets === undefined ? ['REGISTRATIONS'] : []),
      ...(LAB_CLIENT_SECRET === undefined || secrets?.every(isChosen) ? [] : ['LAB_CLIENT_SECRET']),
    ]
    if (unused.length > 0) log.warn({ settings: unused, dataDir: DATA_DIR }, withoutEffect)
    else log.info({ registrations: path }, 'registrations not applied: the directory is not empty')
  }
}

const withoutEffect =
  'settings without effect: the directory is not empty. An empty DATA_DIR starts anew, "npx --no-install greeting registrations apply" applies the file'

/** Creates an administrator if the directory has none, or if the settings require a new one. */
export async function ensureAdministrator(
  {
    settings,
    environment: { runtime },
    log,
    listeners,
  }: FirstStart & Pick<OpenedParts, 'listeners'>,
  store: DirectoryStore,
  { latestAgreed }: Pick<AgreedClock, 'latestAgreed'>,
): Promise<void> {
  const { DATA_DIR: dataDir, NEW_ADMINISTRATOR, TENANT_ID } = settings
  const { authUrl } = listeners.first.authority
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
