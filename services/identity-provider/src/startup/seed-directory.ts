import { readFile } from 'node:fs/promises'
import type { Runtime } from '../directory/runtime.ts'
import type { Log } from '../http/service-options.ts'
import { seedEmptyDirectory } from '../registrations/seed-empty-directory.ts'
import type { Settings } from '../settings.ts'
import type { DirectoryStore } from '../storage/directory-store.ts'

/** Applies the registrations file of the settings to an empty directory. */
export async function seedDirectory(
  { REGISTRATIONS: path, DATA_DIR, TENANT_ID }: Settings,
  directory: DirectoryStore,
  runtime: Runtime,
  log: Pick<Log, 'info'>,
): Promise<void> {
  if (path === undefined) return
  const registrations = async () => {
    // Loaded for an empty directory only.
    const { readSeedRegistrations } = await import('../registrations/seed-registrations.ts')
    return readSeedRegistrations(await readFile(path), path, {
      newGuid: runtime.newGuid,
      tenantId: TENANT_ID ?? runtime.newGuid(),
    })
  }
  if (await seedEmptyDirectory(directory, registrations, DATA_DIR, runtime)) {
    log.info({ registrations: path }, 'registrations applied to the empty directory')
  }
}
