import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const ownerOnly = 0o600
const othersMask = 0o077
const onWindows = process.platform === 'win32'

/**
 * Writes a file for its owner only, in place of the one that is there: after a crash it is the old
 * one or the new one, whole.
 */
export async function replaceSecretFile(path: string, text: string): Promise<void> {
  const draft = await writeBeside(path, text)
  try {
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolderOf(path)
}

/** Writes a file for its owner only, unless there is one: of several that try, one does. */
export async function createSecretFile(path: string, text: string): Promise<void> {
  const draft = await writeBeside(path, text)
  try {
    // `link` does not replace the file of a process that was faster, as `rename` would.
    await link(draft, path).catch(unless('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolderOf(path)
}

/** The text of a file, undefined when there is none. */
export const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(unless('ENOENT'))

/** The text of a file that should be private; `exposure` says why it is not, to follow its path. */
export type PrivateText = { readonly text: string; readonly exposure: string | undefined }

/**
 * Reads a file, and judges whether this user alone could have written and read it. It is opened once,
 * so that the file that is judged is the file that is read.
 */
export async function readPrivateFile(path: string): Promise<PrivateText> {
  const file = await open(path, 'r')
  try {
    return { exposure: exposureOf(await file.stat()), text: await file.readFile('utf8') }
  } finally {
    await file.close()
  }
}

function exposureOf({ mode, uid }: Stats): string | undefined {
  // Windows has no such modes and owners; there the folder's own access list protects the file.
  if (onWindows) return undefined
  if (uid !== process.geteuid?.())
    return `belongs to another user (id ${uid}): run chown on it if you trust it`
  if ((mode & othersMask) === 0) return undefined
  const octal = (mode & 0o777).toString(8)
  return `may be read by others than its owner (mode ${octal}): run chmod 600 on it`
}

/**
 * Writes a file for its owner only under a name beside the one that it is for, and returns that name
 * when the disk has the text: a crash leaves no half a file under the name that is read.
 */
export async function writeBeside(path: string, text: string): Promise<string> {
  const beside = `${path}.${randomUUID()}`
  const file = await open(beside, 'wx', ownerOnly)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (cause) {
    await rm(beside, { force: true })
    throw cause
  } finally {
    await file.close()
  }
  return beside
}

/** Returns when the disk has the names of a file's folder, not only the texts behind them. */
export async function syncFolderOf(path: string): Promise<void> {
  // Windows neither opens a folder as a file nor needs to.
  if (onWindows) return
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Passes over one failure of the system, and no other. */
export const unless =
  (code: string) =>
  (cause: NodeJS.ErrnoException): undefined => {
    if (cause.code !== code) throw cause
  }
