import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { IdentityProviderOptions } from '../../src/startup/identity-provider-options.ts'
import { type IdentityProvider, startInProcess } from '../../src/startup/start-identity-provider.ts'
import { fixtureEnvironment } from '../startup/fixture-environment.ts'

/** A page, as a browser without script sees it. */
export type Seen = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The path to which the answer leads. */
  readonly location: string | null
}

/** Cells repeat the name of their column for narrow screens. */
const labels = / data-label="[^"]*"/g

/** The start of the paths of a session. */
const sessionPath = /\/portal\/s-[0-9a-f]{32}(?![0-9a-f])/g

/**
 * A browser without script: it keeps cookies, and sends forms with their tokens. The paths of pages
 * and tests omit the session key, which is in `base`.
 */
export class PortalBrowser {
  readonly url: string
  /** The start of the paths of the session; `/portal` without one. */
  base = '/portal'
  readonly #cookies = new Map<string, string>()
  #seen = ''

  constructor(url: string) {
    this.url = url
  }

  /** The cookies, as a request has them. */
  get cookie(): string {
    return [...this.#cookies.values()].join('; ')
  }

  set cookie(text: string) {
    this.#cookies.clear()
    for (const pair of text.split('; ').filter(Boolean)) {
      this.#cookies.set(pair.split('=', 1).join(), pair)
    }
  }

  /** The last page. */
  get seen(): string {
    return this.#seen
  }

  async open(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.#receive(await this.#fetch(path, { headers }))
  }

  /** Sends a form of the last page, with its hidden fields. */
  async send(
    action: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    const body = new URLSearchParams({ ...hiddenFieldsOf(this.#seen, action), ...fields })
    return this.post(action, body, headers)
  }

  /** Sends a form that no page shows. */
  async post(
    action: string,
    body: URLSearchParams | FormData,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    const sent = { origin: this.url, ...headers }
    return this.#receive(await this.#fetch(action, { method: 'POST', headers: sent, body }))
  }

  async signIn(clientId: string, clientSecret: string): Promise<Seen> {
    await this.open('/portal/sign-in')
    return this.send('/portal/sign-in', { client_id: clientId, client_secret: clientSecret })
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(this.cookie && { cookie: this.cookie }), ...init.headers }
    const target = path.replace(/^\/portal(?!\/s(-|tatic\/|ign-in|$))/, this.base)
    return fetch(`${this.url}${target}`, { ...init, headers, redirect: 'manual' })
  }

  async #receive(response: Response): Promise<Seen> {
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';', 1)
      const [name = ''] = pair.split('=', 1)
      if (/max-age=0/i.test(text)) this.#cookies.delete(name)
      else this.#cookies.set(name, pair)
    }
    const sent = await response.text()
    const { status, headers } = response
    const leadsTo = headers.get('location')
    const [base] = `${leadsTo ?? ''} ${sent}`.match(sessionPath) ?? []
    this.base = base ?? this.base
    const [text, location] = [sent.replaceAll(labels, ''), leadsTo].map((one) =>
      one?.replaceAll(sessionPath, '/portal'),
    )
    if (headers.get('content-type')?.includes('text/html')) this.#seen = text ?? ''
    return { status, headers, text: text ?? '', location: location ?? null }
  }
}

/** The hidden fields of a form in a page. */
export function hiddenFieldsOf(text: string, action: string): Record<string, string> {
  const start = text.indexOf(`method="post" action="${action}"`)
  const form = start < 0 ? '' : text.slice(start, text.indexOf('</form>', start))
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return Object.fromEntries(
    [...inputs].map(([, name = '', value = '']) => [name, unescaped(value)]),
  )
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** A server with its first administrator. */
export type PortalServer = AsyncDisposable & {
  readonly provider: IdentityProvider
  readonly administrator: { readonly clientId: string; readonly clientSecret: string }
  readonly tenantId: string
  /** A browser that is signed in as the administrator. */
  readonly signedIn: () => Promise<PortalBrowser>
}

const startWithFixtureKeys = (options: IdentityProviderOptions) =>
  startInProcess(options, fixtureEnvironment)

/** Starts a server in this process, in memory. */
export async function startPortal(
  options: IdentityProviderOptions = {},
  start: (options: IdentityProviderOptions) => Promise<IdentityProvider> = startWithFixtureKeys,
): Promise<PortalServer> {
  const provider = await start({ httpsPort: 'off', ...options })
  const env = parseEnv(await readFile(join(provider.dataDir, 'administrator.env'), 'utf8'))
  const administrator = {
    clientId: env.CLIENT_ID ?? '',
    clientSecret: env.CLIENT_SECRET ?? '',
  }
  return {
    provider,
    administrator,
    tenantId: env.TENANT_ID ?? '',
    signedIn: async () => {
      const browser = new PortalBrowser(provider.url)
      await browser.signIn(administrator.clientId, administrator.clientSecret)
      return browser
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}
