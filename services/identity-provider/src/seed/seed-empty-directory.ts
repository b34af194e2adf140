import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Directory, labSecretSha256, type Runtime, secretSha256 } from '@greeting/directory'
import {
  recoverSecretFile,
  type StagedSecretFile,
  stageSecretFile,
} from '@greeting/directory/files'
import type { DirectoryStore } from '@greeting/directory/live'
import { type Seeded, seedChanges } from './seed-changes.ts'
import type { SeedRegistrations } from './seed-registrations.ts'

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
    await recoverSeededFile(
      dataDir,
      (seeded) => store.readAtStart((directory) => knowsAllSecrets(directory, seeded)),
      source.now(),
    )
    return false
  }

  const { changes, seeded } = seedChanges(await registrations(), source, labSecret)
  const draft = await draftSeededFile(dataDir, seeded)
  const audit = {
    at: source.now(),
    tenantId: seeded.tenantId,
    actor: 'system',
    action: 'directory.seed',
    target: seeded.tenantId,
    outcome: 'done',
    reason: null,
    correlationId: null,
  } as const
  const isApplied = await store.update((directory) =>
    directory.revision > 0
      ? { changes: [], audit: [], result: false }
      : { changes, audit: [audit], result: true },
  )
  await (isApplied ? draft.keep() : draft.discard())
  return isApplied
}

/** Reads the secrets that a start has seeded in this data folder; undefined if no start has. */
export async function readSeededSecrets(dataDir: string): Promise<readonly string[] | undefined> {
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

/** Writes the IDs and secrets to a staged file, before the commit to the directory. */
const draftSeededFile = (dataDir: string, seeded: Seeded): Promise<StagedSecretFile> =>
  stageSecretFile(pathIn(dataDir), `${JSON.stringify(seeded, null, 2)}\n`)

/** Keeps or removes a staged file that a crash left behind, once the directory is filled. */
const recoverSeededFile = (
  dataDir: string,
  isKnown: (seeded: Seeded) => boolean | Promise<boolean>,
  now: Date,
): Promise<void> =>
  recoverSecretFile(
    pathIn(dataDir),
    (text) => {
      const seeded = parse(text)
      return seeded !== undefined && isKnown(seeded)
    },
    now,
  )

// A crash during the write leaves an incomplete file. The commit comes later, so it did not happen.
function parse(text: string): Seeded | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
