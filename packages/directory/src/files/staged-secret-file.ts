import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readIfThere, syncFolderOf, unless, writeBeside } from './secret-file.ts'

/** Longer than any start takes from writing a draft to its commit in the directory. */
const draftLifetimeMs = 60 * 60 * 1000
const suffixPattern = /^\.[0-9a-f-]{36}$/

/** A draft file with a secret, on disk before the commit in the directory. */
export type StagedSecretFile = {
  /** Moves the draft to its final path. */
  readonly keep: () => Promise<void>
  /** Removes the draft, because another process committed first. */
  readonly discard: () => Promise<void>
}

/**
 * Writes a draft, readable by its owner only, and returns when it is on disk. No other copy of the
 * secret exists, so this comes before the commit in the directory.
 *
 * @param path final path of the file
 */
export async function stageSecretFile(path: string, text: string): Promise<StagedSecretFile> {
  const draft = await writeBeside(path, text)
  await syncFolderOf(path)
  return draftAt(draft, path)
}

/**
 * Handles the drafts that remain after a crash. A draft whose secrets are in the directory moves to its final path.
 * An old draft is removed; a young one may belong to another server that is starting and has not committed yet.
 *
 * @param isKnown checks the text of a draft, which the crash may have cut off
 */
export async function recoverSecretFile(
  path: string,
  isKnown: (text: string) => boolean | Promise<boolean>,
  now: Date,
): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)]
  for (const found of await readdir(folder)) {
    if (!found.startsWith(name) || !suffixPattern.test(found.slice(name.length))) continue
    const draft = join(folder, found)
    const { keep, discard } = draftAt(draft, path)
    const text = await readIfThere(draft)
    if (text !== undefined && (await isKnown(text))) await keep()
    else if (await isOld(draft, now)) await discard()
  }
}

const draftAt = (draft: string, path: string): StagedSecretFile => ({
  keep: async () => {
    // Another server that starts in this folder may have moved it already.
    await rename(draft, path).catch(unless('ENOENT'))
    await syncFolderOf(path)
  },
  discard: () => rm(draft, { force: true }),
})

async function isOld(draft: string, now: Date): Promise<boolean> {
  const found = await stat(draft).catch(unless('ENOENT'))
  return found !== undefined && now.getTime() - found.mtimeMs > draftLifetimeMs
}
