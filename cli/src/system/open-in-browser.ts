import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { lstat, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isChangeableByOthers, type Settings } from '../files/env-file.ts'

/** The programs that open a file in the browser of the person, by platform. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}

/** The program that opens a file; undefined without a desktop. */
export function openerOf(
  platform: string,
  environment: Settings,
): readonly [string, ...string[]] | undefined {
  const opener = openers[platform]
  if (opener !== undefined) return opener
  const hasDesktop = Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY)
  return hasDesktop ? [environment.BROWSER || 'xdg-open'] : undefined
}

/** Deletes a file after some time, when the command itself has ended. */
const removal = `setTimeout(() => require('node:fs').rmSync(process.argv[1], { force: true }), +process.argv[2])`
/** The files of this command. */
const fileName = /^portal-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.html$/

/**
 * Opens a link in the browser. The link is in a private file, because every user of the machine can
 * read the arguments of a process. The file is new, and is deleted when the link has expired.
 *
 * @param folder where the file is written; it has mode 0600
 * @param linkMs how long the link can be used
 * @returns whether a program was started
 */
export async function openInBrowser(
  url: string,
  folder: string,
  environment: Settings,
  linkMs: number,
  nowMs = Date.now(),
): Promise<boolean> {
  const opener = openerOf(process.platform, environment)
  if (opener === undefined) return false
  // Another user could replace the page.
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined || isChangeableByOthers(found)) return false
  await removeOldFiles(folder, nowMs - linkMs)
  const file = resolve(join(folder, `portal-${randomUUID()}.html`))
  const escaped = url.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
  const page = `<!doctype html><title>Portal</title><meta http-equiv="refresh" content="0; url=${escaped}">\n`
  try {
    // `wx` follows no link, and keeps no mode of a file that is there.
    await writeFile(file, page, { mode: 0o600, flag: 'wx' })
  } catch {
    return false
  }
  const [program, ...args] = opener
  const isStarted = await start(program, [...args, file])
  const remover = ['-e', removal, file, `${linkMs}`]
  const isRemoved = isStarted && (await start(process.execPath, remover, true))
  if (!isRemoved) await rm(file, { force: true })
  return isStarted
}

/** Starts a program that may run longer than this one. */
const start = (program: string, args: readonly string[], windowsHide = false): Promise<boolean> =>
  new Promise((done) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', windowsHide })
    child.once('error', () => done(false))
    child.once('spawn', () => {
      child.unref()
      done(true)
    })
  })

/** A machine that was turned off could not delete its file. */
async function removeOldFiles(folder: string, untilMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => fileName.test(one))) {
    const file = join(folder, name)
    const { mtimeMs } = await lstat(file).catch(() => ({ mtimeMs: untilMs }))
    if (mtimeMs < untilMs) await rm(file, { force: true }).catch(() => undefined)
  }
}
