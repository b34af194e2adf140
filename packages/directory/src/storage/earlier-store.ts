import { lstat, mkdtemp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../files/secret-file.ts'
import { StorageUnavailableError } from '../live/storage-unavailable-error.ts'

/** The files of a list that exist in a folder and have content. */
export async function filesIn(folder: string, names: readonly string[]): Promise<string[]> {
  const sizeOf = async (name: string) => (await lstat(join(folder, name))).size
  const sizes = await Promise.all(names.map((name) => sizeOf(name).catch(() => 0)))
  return names.filter((_, at) => sizes[at])
}

/**
 * Refuses to begin a store in the folder of another store, because that one has other tenants and
 * the last copies of secrets; or moves its files to a folder where nothing overwrites them.
 *
 * @throws {StorageUnavailableError} storage_unavailable; then nothing was changed
 */
export async function leaveEarlierStore(
  dataDir: string,
  files: readonly string[],
  { fault, isAccepted }: { readonly fault: string; readonly isAccepted: boolean },
): Promise<void> {
  if (!isAccepted)
    throw new StorageUnavailableError(
      `${fault}, but ${dataDir} has ${files.join(', ')} of an earlier store. Nothing was changed. Mount that store or restore a backup, or accept the loss with LOST_CHANGES=accept, which moves these files to another folder and creates a new store.`,
    )
  const kept = await mkdtemp(join(dataDir, 'earlier-store-'))
  for (const name of files)
    await rename(join(dataDir, name), join(kept, name)).catch(unless('ENOENT'))
}
