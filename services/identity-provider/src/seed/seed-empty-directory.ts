import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Directory, labSecretSha256, type Runtime, secretSha256 } from '@greeting/directory'
import { systemRecord } from '@greeting/directory/audit'
import { recoverSecretFile, stageSecretFile } from '@greeting/directory/files'
import type { DirectoryStore } from '@greeting/directory/live'
import { type Seeded, seedChanges } from './seed-changes.ts'
import type { SeedRegistrations } from './seed-registrations.ts'

type SeedSettings = {
  readonly REGISTRATIONS?: string | undefined
  readonly DATA_DIR: string
  readonly TENANT_ID?: string | undefined
  readonly LAB_CLIENT_SECRET?: string | undefined
}
type SeedLog = Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>

/** Applies the registrations file of the settings to an empty directory. */
export async function seedDirectory(
  directory: DirectoryStore,
  settings: SeedSettings,
  runtime: Runtime,
  log: SeedLog,
): Promise<void> {
  const { REGISTRATIONS: path, DATA_DIR, TENANT_ID, LAB_CLIENT_SECRET } = settings
  if (path === undefined) return
  const registrations = async () => {
    // Loaded for an empty directory only.
    const { readSeedRegistrations } = await import('./seed-registrations.ts')
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

/**
 * Creates the registrations in an empty directory. Changes nothing in any other directory.
 *
 * @param registrations called only when the directory is empty
 * @param labSecret the text of all secrets, in a lab only; by default each is random
 * @returns whether this call created them
 */
export async function seedEmptyDirectory(
  store: DirectoryStore,
  registrations: () => Promise<SeedRegistrations>,
  dataDir: string,
  source: Runtime,
  labSecret?: string,
): Promise<boolean> {
  if (await store.readAtStart(({ revision }) => revision > 0)) {
    // A crash may have left the staged file behind.
    const isKnown = async (text: string) => {
      const seeded = parse(text)
      return seeded !== undefined && store.readAtStart((one) => knowsAllSecrets(one, seeded))
    }
    await recoverSecretFile(pathIn(dataDir), isKnown, source.now())
    return false
  }

  const { changes, seeded } = seedChanges(await registrations(), source, labSecret)
  // Before the commit to the directory.
  const draft = await stageSecretFile(pathIn(dataDir), `${JSON.stringify(seeded, null, 2)}\n`)
  const { tenantId } = seeded
  const audit = systemRecord(source.now(), 'directory.seed', tenantId, { tenantId })
  const isApplied = await store.update((directory) =>
    directory.revision > 0
      ? { changes: [], audit: [], result: false }
      : { changes, audit: [audit], result: true },
  )
  await (isApplied ? draft.keep() : draft.discard())
  return isApplied
}

/** Reads the secrets that a start has seeded in this data folder; undefined if no start has. */
async function readSeededSecrets(dataDir: string): Promise<readonly string[] | undefined> {
  const text = await readFile(pathIn(dataDir), 'utf8').catch(() => '')
  return parse(text)?.clients.map(({ clientSecret }) => clientSecret)
}

const knowsAllSecrets = (directory: Directory, { clients }: Seeded): boolean =>
  clients.every(({ applicationId, clientSecret }) =>
    directory
      .applicationByAppId(applicationId)
      ?.passwordCredentials.some((known) =>
        [secretSha256, labSecretSha256].some((hashOf) =>
          Buffer.from(known.secretSha256).equals(hashOf(clientSecret)),
        ),
      ),
  )

const pathIn = (dataDir: string) => join(dataDir, 'seeded.json')

// A crash during the write leaves an incomplete file. The commit comes later, so it did not happen.
function parse(text: string): Seeded | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
