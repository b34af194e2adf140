import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startInProcess,
} from '../../src/start-identity-provider.ts'
import { fixtureWorld } from '../fixture-world.ts'

/** A page, as a browser without script sees it. */
export type Seen = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The path to which the answer leads. */
  readonly location: string | null
}

/** A browser without script: it keeps cookies, and sends forms with their tokens. */
export class PortalBrowser {
  readonly url: string
  cookie = ''
  #seen = ''

  constructor(url: string) {
    this.url = url
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
    return fetch(`${this.url}${path}`, { ...init, headers, redirect: 'manual' })
  }

  async #receive(response: Response): Promise<Seen> {
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';', 1)
      this.cookie = /max-age=0/i.test(text) ? '' : pair
    }
    const text = await response.text()
    if (response.headers.get('content-type')?.includes('text/html')) this.#seen = text
    const { status, headers } = response
    return { status, headers, text, location: headers.get('location') }
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

const startWithFixtureKeys = async (options: IdentityProviderOptions) =>
  (await startInProcess(options, fixtureWorld)).provider

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
