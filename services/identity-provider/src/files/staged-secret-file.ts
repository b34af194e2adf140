import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readIfThere, syncFolderOf, unless, writeBeside } from './secret-file.ts'

/** Longer than any start between writing a draft and telling the directory. */
const draftLifetimeMs = 60 * 60 * 1000
const suffixPattern = /^\.[0-9a-f-]{36}$/

/** A secret on the disk, while nobody knows yet whether the directory took it. */
export type StagedSecretFile = {
  /** Makes it the file that people read. */
  readonly keep: () => Promise<void>
  /** Takes it back: somebody else was faster. */
  readonly discard: () => Promise<void>
}

/**
 * Writes a file for its owner only, under a name of its own, and returns when the disk has it: the
 * secret in it is nowhere else, so this comes before the directory is told.
 *
 * @param path What it is to be called when it is kept.
 */
export async function stageSecretFile(path: string, text: string): Promise<StagedSecretFile> {
  const draft = await writeBeside(path, text)
  await syncFolderOf(path)
  return draftAt(draft, path)
}

/**
 * Finds what a crash left between file and directory: a draft whose secrets the directory knows
 * becomes the file. Any other is removed when it is old: a young one may belong to a server that
 * starts at the same time and has not told the directory yet.
 *
 * @param isKnown Judges the text of a draft, which the crash may have cut short.
 */
export async function recoverSecretFile(
  path: string,
  isKnown: (text: string) => boolean,
  now: Date,
): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)]
  for (const found of await readdir(folder)) {
    if (!found.startsWith(name) || !suffixPattern.test(found.slice(name.length))) continue
    const draft = join(folder, found)
    const { keep, discard } = draftAt(draft, path)
    const text = await readIfThere(draft)
    if (text !== undefined && isKnown(text)) await keep()
    else if (await isOld(draft, now)) await discard()
  }
}

const draftAt = (draft: string, path: string): StagedSecretFile => ({
  keep: async () => {
    // Another server that starts in this folder may have done so already.
    await rename(draft, path).catch(unless('ENOENT'))
    await syncFolderOf(path)
  },
  discard: () => rm(draft, { force: true }),
})

async function isOld(draft: string, now: Date): Promise<boolean> {
  const found = await stat(draft).catch(unless('ENOENT'))
  return found !== undefined && now.getTime() - found.mtimeMs > draftLifetimeMs
}
