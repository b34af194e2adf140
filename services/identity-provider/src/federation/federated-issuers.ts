import { anyCaller, createGuard, type Guard, type Runtime } from '@greeting/guard'
import type { FederatedVerdict } from '../issuance/federated-authentication.ts'
import { IssuerHostList } from './issuer-host-list.ts'
import { judgeIssuerMetadata, requestIssuerMetadata } from './issuer-metadata.ts'

export type FederatedIssuersOptions = {
  /** The hosts that may be asked for keys; none is asked otherwise. */
  readonly allowedHosts: Iterable<string>
  /** What stands in for the guard's clocks and its `fetch`. */
  readonly runtime?: Partial<Runtime>
  /** How long an issuer may take for its document, in milliseconds; default 5000. */
  readonly timeoutMs?: number
  /** How long an issuer that failed is not asked again, in milliseconds; default 5000. */
  readonly cooldownMs?: number
}

type Entry =
  | { readonly guard: Promise<Guard>; readonly failedAtMs?: never }
  | { readonly guard?: never; readonly failedAtMs: number }

/** Issuers are registered by administrators, but not without bound. */
const maxEntries = 256

/**
 * The issuers of others, verified like any issuer of access tokens: by the guard, with its key
 * source, which keeps the keys, refreshes them and bounds how often it asks.
 */
export class FederatedIssuers {
  readonly #hosts: IssuerHostList
  readonly #runtime: Partial<Runtime>
  readonly #timeoutMs: number
  readonly #cooldownMs: number
  readonly #entries = new Map<string, Entry>()

  constructor({
    allowedHosts,
    runtime = {},
    timeoutMs = 5000,
    cooldownMs = 5000,
  }: FederatedIssuersOptions) {
    this.#hosts = new IssuerHostList(allowedHosts)
    this.#runtime = runtime
    this.#timeoutMs = timeoutMs
    this.#cooldownMs = cooldownMs
  }

  /** Verifies a token of an issuer that a client trusts. */
  verify = async (
    token: string,
    { issuer, subject, audience }: { issuer: string; subject: string; audience: string },
  ): Promise<FederatedVerdict> => {
    if (!this.#hosts.allows(issuer)) return 'notAllowed'
    const guard = await this.#guardOf(issuer, audience)
    if (guard === undefined) return 'unreachable'
    const presented = { authorization: `Bearer ${token}`, target: '/' }
    const decision = await guard.decide(presented, anyCaller)
    if (decision.outcome === 'admitted')
      return decision.subject === subject ? 'verified' : 'refused'
    return decision.reason === 'keys_unavailable' ? 'unreachable' : 'refused'
  }

  /** Ends every refresh of keys. */
  async stop(): Promise<void> {
    for (const { guard } of this.#entries.values()) (await guard?.catch(() => undefined))?.stop()
    this.#entries.clear()
  }

  #monotonicMs = () => (this.#runtime.monotonicMs ?? (() => performance.now()))()

  /** The guard for an issuer and an audience; undefined when its keys cannot be found now. */
  async #guardOf(issuer: string, audience: string): Promise<Guard | undefined> {
    const key = `${issuer} ${audience}`
    const known = this.#entries.get(key)
    const isCooling =
      known?.failedAtMs !== undefined && this.#monotonicMs() - known.failedAtMs < this.#cooldownMs
    if (isCooling) return undefined
    const guard = known?.guard ?? this.#open(issuer, audience)
    // The latest use is the last to be forgotten.
    this.#entries.delete(key)
    this.#entries.set(key, { guard })
    this.#forgetBeyond(maxEntries)
    try {
      return await guard
    } catch {
      this.#entries.set(key, { failedAtMs: this.#monotonicMs() })
      return undefined
    }
  }

  async #open(issuer: string, audience: string): Promise<Guard> {
    const fetch = this.#runtime.fetch ?? globalThis.fetch
    const text = await requestIssuerMetadata(issuer, fetch, this.#timeoutMs)
    const { jwks_uri: keySetUrl } = judgeIssuerMetadata(issuer, text)
    if (!this.#hosts.allows(keySetUrl))
      throw new TypeError(`The keys of ${issuer} are at a host that may not be asked.`)
    const guard = createGuard<string>(
      {
        issuers: [{ issuer, audiences: [audience], keySetUrl, claims: { applicationId: 'sub' } }],
        // A federated identity has no roles here; the guard wants a name all the same.
        roles: ['federated'],
        maxCachedTokens: 100,
      },
      this.#runtime,
    )
    await guard.start()
    return guard
  }

  #forgetBeyond(count: number): void {
    for (const [key, { guard }] of this.#entries) {
      if (this.#entries.size <= count) return
      this.#entries.delete(key)
      guard?.then(
        (one) => one.stop(),
        () => undefined,
      )
    }
  }
}
