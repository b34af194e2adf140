import { chmod, rename, rm, writeFile } from 'node:fs/promises'

/**
 * Writes a whole file that only its owner can read, and moves it to its path in one step.
 *
 * @param place `link` keeps a file that is there, and fails
 */
export async function replaceFile(path: string, text: string, place = rename): Promise<void> {
  const draft = `${path}.${process.pid}.${crypto.randomUUID()}`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    await chmod(draft, 0o600)
    await place(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
