import { setTimeout } from 'node:timers/promises'
import { decodeJwt, decodeProtectedHeader } from 'jose'

/** An issued token: by which server, for which secret, when it was requested and received, and its claims. */
export type Issued = {
  readonly url: string
  readonly secret: string
  readonly askedAtMs: number
  readonly receivedAtMs: number
  readonly roles: readonly string[]
  readonly kid: string
}

export type Target = {
  readonly url: string
  readonly tenantId: string
  readonly clientId: string
  readonly scope: string
  /** Secrets by their names, used in turn. */
  readonly secrets: Readonly<Record<string, string>>
}

// Short beside the second in which a change must take effect, long beside the time of a token:
// without it, the load alone takes both cores.
const pauseMs = 200

/** Requests tokens from several servers, one after another, and keeps the issued tokens. */
export class TokenLoad {
  readonly issued: Issued[] = []
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>()
  readonly #running: Promise<void>[]
  #isStopped = false

  constructor(targets: readonly Target[]) {
    this.#running = targets.map((target) => this.#load(target))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running)
  }

  async #load(target: Target): Promise<void> {
    while (!this.#isStopped) {
      for (const [name, secret] of Object.entries(target.secrets))
        await this.#ask(target, name, secret)
      await setTimeout(pauseMs)
    }
  }

  async #ask({ url, tenantId, clientId, scope }: Target, secret: string, value: string) {
    const askedAtMs = performance.now()
    const response = await fetch(`${url}/${tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: value,
        scope,
      }),
    })
    const { access_token } = (await response.json()) as { access_token?: string }
    const receivedAtMs = performance.now()
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1)
    if (access_token === undefined) return
    const { roles = [] } = decodeJwt<{ roles?: string[] }>(access_token)
    const { kid = '' } = decodeProtectedHeader(access_token)
    this.issued.push({ url, secret, askedAtMs, receivedAtMs, roles, kid })
  }
}
