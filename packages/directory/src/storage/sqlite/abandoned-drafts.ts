import { type Stats, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { emptyGuid, isGuid } from '../../model/guid.ts'
import { openUnchecked } from './sqlite-connection.ts'
import { isBusy } from './sqlite-fault.ts'

/** The suffixes of the files that belong to a draft. */
export const draftParts = ['', '-wal', '-shm'] as const

/** A process that makes a draft writes more often, unless it is killed or builds an index. */
const minIdleMs = 5000

/**
 * Removes the drafts of a data file whose processes were killed, such as drafts of a restore. A
 * draft that another process has open stays.
 */
export async function removeAbandonedDrafts(
  path: string,
  now: () => number = Date.now,
): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => [])
  const prefix = `${basename(path)}.`
  const ids = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length, prefix.length + emptyGuid.length))
    .filter(isGuid)
  for (const id of new Set(ids)) {
    const files = draftParts.map((part) => `${path}.${id}${part}`)
    const latestMs = Math.max(...files.map((file) => statOf(file)?.mtimeMs ?? 0))
    if (now() - latestMs < minIdleMs || isOpen(`${path}.${id}`)) continue
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => undefined)))
  }
}

const statOf = (file: string): Stats | undefined => statSync(file, { throwIfNoEntry: false })

/** SQLite changes the journal of a file only when no other connection has it open. */
function isOpen(draft: string): boolean {
  if (statOf(draft) === undefined) return false
  let connection: DatabaseSync | undefined
  try {
    connection = openUnchecked(draft)
    connection.exec('pragma journal_mode = delete')
    return false
  } catch (cause) {
    return isBusy(cause)
  } finally {
    connection?.close()
  }
}
