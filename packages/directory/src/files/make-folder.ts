import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and the missing ones above it, readable by their owner only. An existing folder
 * remains unchanged.
 *
 * The recursive `mkdir` of Node never ends where a file system answers ENOENT to a new name in an
 * existing folder, as `/proc` does. The client and the command have copies of this function,
 * because imports between the three are not allowed.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path)
  } catch (cause) {
    const isParentMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (!isParentMissing || dirname(path) === path) throw cause
    await makeFolder(dirname(path))
    await makeOne(path)
  }
}

const makeOne = (path: string) =>
  mkdir(path, { mode: 0o700 }).catch(async (cause: unknown) => {
    // A file system can refuse an existing folder with another code than EEXIST.
    const found = await stat(path).catch(() => undefined)
    if (!found?.isDirectory()) throw cause
  })
