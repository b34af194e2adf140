import type { Directory } from '../directory/directory.ts'
import { secretSha256 } from '../directory/password-credential.ts'
import type { Runtime } from '../directory/runtime.ts'
import type { DirectoryStore } from '../storage/directory-store.ts'
import type { Registrations } from './registrations.ts'
import { type Seeded, seedOf } from './seed.ts'
import { draftSeededFile, recoverSeededFile } from './seeded-file.ts'

/**
 * Brings registrations into the directory when it is empty, and changes nothing when it is not.
 *
 * @param registrations Asked only when they are needed.
 * @returns Whether it was this call that filled the directory.
 */
export async function seedEmptyDirectory(
  store: DirectoryStore,
  registrations: () => Promise<Registrations>,
  dataDir: string,
  source: Runtime,
): Promise<boolean> {
  const before = await store.refresh()
  if (before.revision > 0) {
    await recoverSeededFile(dataDir, (seeded) => knowsAllSecrets(before, seeded), source.now())
    return false
  }

  const { changes, seeded } = seedOf(await registrations(), source)
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
  const isOurs = await store.update((directory) =>
    directory.revision > 0
      ? { changes: [], audit: [], result: false }
      : { changes, audit: [audit], result: true },
  )
  await (isOurs ? draft.keep() : draft.discard())
  return isOurs
}

const knowsAllSecrets = (directory: Directory, { clients }: Seeded): boolean =>
  clients.every(({ applicationId, clientSecret }) =>
    directory
      .applicationByAppId(applicationId)
      ?.passwordCredentials.some((known) =>
        Buffer.from(known.secretSha256).equals(secretSha256(clientSecret)),
      ),
  )
