import { anyCaller, createGuard, type Guard, type Runtime } from '@greeting/guard'
import type { FederatedVerification } from '../issuance/federated-authentication.ts'
import { IssuerHostList } from './issuer-host-list.ts'
import { readIssuerMetadata, requestIssuerMetadata } from './issuer-metadata.ts'

export type FederatedIssuersOptions = {
  /** The only hosts that this server requests keys from. */
  readonly allowedHosts: Iterable<string>
  /** Replaces the clocks and the `fetch` of the guard, for tests. */
  readonly runtime?: Partial<Runtime>
  /** Whether an issuer may have the public keys of `@greeting/testing`; default `refused`. */
  readonly testKeys?: 'refused' | 'accepted'
  /** Time limit for the discovery document of an issuer, in milliseconds; default 5000. */
  readonly timeoutMs?: number
  /** Pause before the next request to an issuer that failed, in milliseconds; default 5000. */
  readonly cooldownMs?: number
}

type Entry =
  | { readonly guard: Promise<Guard>; readonly failedAtMs?: never }
  | { readonly guard?: never; readonly failedAtMs: number }

/** Administrators register issuers, but their number has no other limit. */
const maxEntries = 256

/**
 * Verifies tokens of other issuers with the guard. Its key source caches the keys, refreshes them and
 * limits the number of requests.
 */
export class FederatedIssuers {
  readonly #hosts: IssuerHostList
  readonly #runtime: Partial<Runtime>
  readonly #testKeys: 'refused' | 'accepted'
  readonly #timeoutMs: number
  readonly #cooldownMs: number
  readonly #entries = new Map<string, Entry>()

  constructor({
    allowedHosts,
    runtime = {},
    testKeys = 'refused',
    timeoutMs = 5000,
    cooldownMs = 5000,
  }: FederatedIssuersOptions) {
    this.#hosts = new IssuerHostList(allowedHosts)
    this.#runtime = runtime
    this.#testKeys = testKeys
    this.#timeoutMs = timeoutMs
    this.#cooldownMs = cooldownMs
  }

  /** Verifies a token of an issuer in a federated identity credential. */
  verify = async (
    token: string,
    { issuer, subject, audience }: { issuer: string; subject: string; audience: string },
  ): Promise<FederatedVerification> => {
    if (!this.#hosts.allows(issuer)) return 'issuer_not_allowed'
    const guard = await this.#guardOf(issuer, audience)
    if (guard === undefined) return 'issuer_unreachable'
    const presented = { authorization: `Bearer ${token}`, target: '/' }
    const decision = await guard.decide(presented, anyCaller)
    if (decision.outcome === 'admitted') return decision.subject === subject ? 'valid' : 'invalid'
    return decision.reason === 'keys_unavailable' ? 'issuer_unreachable' : 'invalid'
  }

  /** Stops refreshing all keys. */
  async stop(): Promise<void> {
    for (const { guard } of this.#entries.values()) (await guard?.catch(() => undefined))?.stop()
    this.#entries.clear()
  }

  #monotonicMs = () => (this.#runtime.monotonicMs ?? (() => performance.now()))()

  /** The guard for an issuer and an audience; undefined when its keys are not available. */
  async #guardOf(issuer: string, audience: string): Promise<Guard | undefined> {
    const key = `${issuer} ${audience}`
    const known = this.#entries.get(key)
    const isCooling =
      known?.failedAtMs !== undefined && this.#monotonicMs() - known.failedAtMs < this.#cooldownMs
    if (isCooling) return undefined
    const guard = known?.guard ?? this.#open(issuer, audience)
    // Moved to the end, because the first entries are removed first.
    this.#entries.delete(key)
    this.#entries.set(key, { guard })
    this.#removeBeyond(maxEntries)
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
    const { jwks_uri: keySetUrl } = readIssuerMetadata(issuer, text)
    if (!this.#hosts.allows(keySetUrl))
      throw new TypeError(`The key set of ${issuer} is on a host that is not allowed`)
    const guard = createGuard<string>(
      {
        issuers: [{ issuer, audiences: [audience], keySetUrl, claims: { applicationId: 'sub' } }],
        // A federated identity has no roles here, but the guard requires at least one name.
        roles: ['federated'],
        maxCachedTokens: 100,
        testKeys: this.#testKeys,
      },
      this.#runtime,
    )
    await guard.start()
    return guard
  }

  #removeBeyond(count: number): void {
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
