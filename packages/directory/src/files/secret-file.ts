// Folder: All secrets are written to the disk in the same way.

import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const ownerOnly = 0o600
const othersMask = 0o077
const onWindows = process.platform === 'win32'

/** Replaces a file, readable by its owner only. After a crash the file has its old or its new content, never a part. */
export async function replaceSecretFile(path: string, text: string): Promise<void> {
  const draft = await writeBeside(path, text)
  try {
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolderOf(path)
}

/** Creates a file, readable by its owner only. Of several concurrent attempts, one succeeds. */
export async function createSecretFile(path: string, text: string): Promise<void> {
  const draft = await writeBeside(path, text)
  try {
    // `link` does not replace the file of a faster process, as `rename` would.
    await link(draft, path).catch(unless('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolderOf(path)
}

/** Reads the text of a file; `undefined` if it does not exist. */
export const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(unless('ENOENT'))

/** The text of a file. If the file is not private, `exposure` is the reason, as a predicate for its path. */
export type PrivateText = { readonly text: string; readonly exposure: string | undefined }

/**
 * Reads a file, and checks that only this user can read and write it. It uses one open file for
 * both, so that the checked file is the one that is read.
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
  // Windows has no such modes and owners. There the access list of the folder protects the file.
  if (onWindows) return undefined
  if (uid !== process.geteuid?.())
    return `belongs to another user (id ${uid}): run chown on it if you trust it`
  if ((mode & othersMask) === 0) return undefined
  const octal = (mode & 0o777).toString(8)
  return `is accessible to users other than its owner (mode ${octal}): run chmod 600 on it`
}

/**
 * Writes a temporary file next to the final path, readable by its owner only, and returns its path
 * when the text is on disk. So a crash never leaves an incomplete file at the final path.
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

/** Flushes the folder of a file, so that its directory entry is also on disk. */
export async function syncFolderOf(path: string): Promise<void> {
  // Windows cannot open a folder as a file, and does not need this.
  if (onWindows) return
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Ignores one system error code, and no other. */
export const unless =
  (code: string) =>
  (cause: NodeJS.ErrnoException): undefined => {
    if (cause.code !== code) throw cause
  }
