import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Settings } from './env-file.ts'

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

/**
 * Opens a link in the browser. The link is in a private file, because every user of the machine can
 * read the arguments of a process.
 *
 * @param folder where the file is written; it has mode 0600
 * @returns whether a program was started
 */
export async function openInBrowser(
  url: string,
  folder: string,
  environment: Settings,
): Promise<boolean> {
  const opener = openerOf(process.platform, environment)
  if (opener === undefined) return false
  const file = resolve(join(folder, 'portal.html'))
  const page = `<!doctype html><title>Portal</title><meta http-equiv="refresh" content="0; url=${url}">\n`
  await writeFile(file, page, { mode: 0o600 })
  const [program, ...args] = opener
  return new Promise((done) => {
    const child = spawn(program, [...args, file], { detached: true, stdio: 'ignore' })
    child.once('error', () => done(false))
    child.once('spawn', () => {
      child.unref()
      done(true)
    })
  })
}
