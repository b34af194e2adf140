import { open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Seeded } from './seed.ts'

const finalName = 'seeded.json'
const draftPattern = /^seeded\.json\.[0-9a-f-]{36}$/

/** What was seeded, on the disk, while nobody knows yet whether the directory took it. */
export type SeededDraft = {
  /** Makes it the file that people read. */
  readonly keep: () => Promise<void>
  /** Takes it back: somebody else was faster. */
  readonly discard: () => Promise<void>
}

/**
 * Writes what was seeded, readable by its owner only, and returns when the disk has it: the secrets
 * are nowhere else, so this comes before the directory is told.
 */
export async function draftSeededFile(dataDir: string, seeded: Seeded): Promise<SeededDraft> {
  const draft = join(dataDir, `${finalName}.${crypto.randomUUID()}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(seeded, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dataDir)
  return {
    // Another server that starts in this folder may have done either already.
    keep: async () => {
      await rename(draft, join(dataDir, finalName)).catch(unlessGone)
      await syncFolder(dataDir)
    },
    discard: () => unlink(draft).catch(unlessGone),
  }
}

/**
 * Finds what a crash left between file and directory, once the directory is filled: a draft whose
 * secrets it knows becomes the file, any other is removed.
 */
export async function recoverSeededFile(
  dataDir: string,
  isKnown: (seeded: Seeded) => boolean,
): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!draftPattern.test(name)) continue
    const draft = join(dataDir, name)
    const seeded = parse(await readFile(draft, 'utf8').catch(unlessGone))
    const isTrue = seeded !== undefined && isKnown(seeded)
    await (isTrue ? rename(draft, join(dataDir, finalName)) : unlink(draft)).catch(unlessGone)
  }
}

// A draft that was cut short by the crash was never followed by a commit.
function parse(text: string | undefined): Seeded | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function unlessGone(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause
}

async function syncFolder(path: string): Promise<void> {
  // Windows neither opens a folder as a file nor needs to.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
