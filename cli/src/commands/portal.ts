import { z } from 'zod'
import type { AdministratorSettings } from '../administrator/administrator-settings.ts'
import { isLoopback } from '../client/client-settings.ts'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../exit-codes.ts'
import { openInBrowser } from '../system/open-in-browser.ts'
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
