import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { lstat, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { AdministratorSettings } from '../administrator/administrator-settings.ts'
import { isLoopback } from '../client/client-settings.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../exit-codes.ts'
import { isChangeableByOthers, type Settings } from '../files/env-file.ts'
import {
  type AdministratorCommandOptions,
  administratorCommand,
  readAdministrator,
} from './administrator-command.ts'

type Options = AdministratorCommandOptions & { readonly open: boolean }

const link = z.object({ url: z.url({ protocol: /^https?$/ }), expires_in: z.number() })
const refusal = z.object({ error: z.string(), error_description: z.string() })
const timeoutMs = 10_000

/** `greeting portal`: opens the portal of the identity provider, signed in. */
export function addPortalCommand({ program, terminal }: CommandContext): void {
  administratorCommand(program.command('portal'))
    .description('open the portal of the identity provider in a browser, signed in')
    .option('--no-open', 'print the link only, and open no browser')
    .action(async (options: Options) => {
      const { url, expires_in: seconds } = await requestLink(
        await readAdministrator(terminal, options),
        terminal.stop,
      )
      if (options.json) {
        terminal.out(`${JSON.stringify({ url, expiresInSeconds: seconds })}\n`)
        return
      }
      const isOpened =
        options.open &&
        (await openInBrowser(url, options.dataDir, terminal.environment, seconds * 1000))
      if (isOpened)
        terminal.err('The portal opens in the browser. If it does not, use this link.\n')
      terminal.out(`${url}\n`)
      terminal.err(`The link works once, for ${seconds} seconds.\n`)
    })
}

/** Requests a link by the secret of the administrator. */
async function requestLink(
  { CLIENT_ID, CLIENT_SECRET, ...settings }: AdministratorSettings,
  stop: AbortSignal,
): Promise<z.output<typeof link>> {
  const AUTH_URL = settings.server ?? settings.AUTH_URL
  requireSecure(AUTH_URL)
  const response = await fetch(`${AUTH_URL}/portal/links`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET }),
    redirect: 'error',
    signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
  }).catch((cause) => {
    stop.throwIfAborted()
    const message = `The identity provider at ${AUTH_URL} does not answer.`
    const remedy = 'Start it with "npx --no-install greeting start", or check AUTH_URL.'
    throw new CommandFailure('unreachable', message, { cause, remedy })
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.status === 404 || response.status === 421) {
    const message = `The identity provider at ${AUTH_URL} serves no portal.`
    const remedy = 'Beyond loopback, the setting PORTAL=on of the identity provider turns it on.'
    throw new CommandFailure('failed', message, { remedy })
  }
  const made = link.safeParse(body)
  if (response.status === 201 && made.success) {
    const { origin, pathname } = new URL(made.data.url)
    const isOwn = [AUTH_URL, settings.AUTH_URL].some((url) => new URL(url).origin === origin)
    if (isOwn && pathname === '/portal/link') return made.data
    const message = `The portal makes no link: it is not ${settings.AUTH_URL}/portal/link`
    throw new CommandFailure('failed', message, { remedy: 'Check AUTH_URL.' })
  }
  const { data } = refusal.safeParse(body)
  const reason = data?.error_description ?? `The response has the status ${response.status}.`
  const exit = data?.error === 'no_role' ? 'not_allowed' : 'not_authenticated'
  throw new CommandFailure(data ? exit : 'failed', `The portal makes no link: ${reason}`)
}

/** A secret is sent over HTTPS, or within this machine. */
function requireSecure(authUrl: string): void {
  if (new URL(authUrl).protocol === 'https:' || isLoopback(authUrl)) return
  const message = `The secret of the administrator is not sent to ${authUrl}: it has no HTTPS.`
  throw new CommandFailure('bad_usage', message)
}

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
