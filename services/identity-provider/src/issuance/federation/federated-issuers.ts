// Folder: The guard fetches the keys of other issuers and verifies their tokens.

import { isSafeIssuerUrl, tokenExchangeAppId } from '@greeting/directory'
import {
  anyCaller,
  createGuard,
  type Guard,
  type GuardOptions,
  type KeySetErrorCode,
  type RefusalReason,
  type Runtime,
} from '@greeting/guard'
import type { ExpectedToken, FederatedVerification } from '../federated-authentication.ts'
import { readIssuerMetadata, requestIssuerMetadata } from './issuer-metadata.ts'

/** The issuers of this server: one for each tenant, listener and token version. */
type OwnIssuers = {
  /** The tenant and the token version of an issuer; undefined for an issuer of another server. */
  readonly find: (
    issuer: string,
  ) => Promise<{ readonly tenantId: string; readonly tokenVersion: '1.0' | '2.0' } | undefined>
  /** The keys of this server's own key set. */
  readonly publishedKeys: () => readonly object[]
}

export type FederatedIssuersOptions = {
  /** Their tokens are verified in process, without a request. */
  readonly own?: OwnIssuers
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

/** The guard of an issuer, and why the last request for its keys failed. */
type Opened = { readonly guard: Guard; readonly fault: () => KeySetErrorCode | undefined }

type Entry =
  | { readonly opened: Promise<Opened>; readonly failedAtMs?: never }
  | { readonly opened?: never; readonly failedAtMs: number }

/** Administrators register issuers, but their number has no other limit. */
const maxEntries = 256

/**
 * Verifies tokens of other issuers with the guard. Its key source caches the keys, refreshes them,
 * and limits the number of requests. Tokens of this server need no request.
 */
export class FederatedIssuers {
  readonly #options: Required<Omit<FederatedIssuersOptions, 'own'>> &
    Pick<FederatedIssuersOptions, 'own'>
  readonly #hosts: IssuerHostList
  readonly #entries = new Map<string, Entry>()

  constructor(options: FederatedIssuersOptions) {
    this.#options = {
      runtime: {},
      testKeys: 'refused',
      timeoutMs: 5000,
      cooldownMs: 5000,
      ...options,
    }
    this.#hosts = new IssuerHostList(options.allowedHosts)
  }

  /** Verifies a token of an issuer in a federated identity credential. */
  verify = async (token: string, expected: ExpectedToken): Promise<FederatedVerification> => {
    const { issuer, audience, tenantId } = expected
    const own = await this.#options.own?.find(issuer)
    if (own !== undefined) {
      if (own.tenantId !== tenantId) return 'issuer_of_other_tenant'
      // An API that gets a token for itself must not be able to use it as a credential of its caller.
      if (own.tokenVersion !== '2.0' || audience !== tokenExchangeAppId)
        return 'token_type_forbidden'
      const guard = await this.#guardOf(`own ${issuer}`, () => this.#openOwn(issuer, tenantId))
      const result = await judge(guard, token, expected)
      return result === 'valid' ? 'valid_own' : result
    }
    if (!this.#hosts.allows(issuer)) return 'issuer_not_allowed'
    const key = `${issuer} ${audience}`
    return judge(await this.#guardOf(key, () => this.#open(issuer, audience)), token, expected)
  }

  /** Stops refreshing all keys. */
  async stop(): Promise<void> {
    for (const { opened } of this.#entries.values())
      (await opened?.catch(() => undefined))?.guard.stop()
    this.#entries.clear()
  }

  #monotonicMs = () => (this.#options.runtime.monotonicMs ?? (() => performance.now()))()

  /** The guard with a key, opened at its first use; undefined when its keys are not available. */
  async #guardOf(key: string, open: () => Promise<Opened>): Promise<Opened | undefined> {
    const known = this.#entries.get(key)
    const isCooling =
      known?.failedAtMs !== undefined &&
      this.#monotonicMs() - known.failedAtMs < this.#options.cooldownMs
    if (isCooling) return undefined
    const opened = known?.opened ?? open()
    // Moved to the end, because the first entries are removed first.
    this.#entries.delete(key)
    this.#entries.set(key, { opened })
    this.#removeBeyond(maxEntries)
    try {
      return await opened
    } catch {
      this.#entries.set(key, { failedAtMs: this.#monotonicMs() })
      return undefined
    }
  }

  async #open(issuer: string, audience: string): Promise<Opened> {
    const fetch = this.#options.runtime.fetch ?? globalThis.fetch
    const text = await requestIssuerMetadata(issuer, fetch, this.#options.timeoutMs)
    const { jwks_uri: keySetUrl } = readIssuerMetadata(issuer, text)
    if (!this.#hosts.allows(keySetUrl))
      throw new TypeError(`The key set of ${issuer} is on a host that is not allowed`)
    const claims = { applicationId: 'sub' }
    return this.#start({ issuer, audiences: [audience], keySetUrl, claims })
  }

  /** The keys are read for each token, so a revoked key counts at once. */
  #openOwn(issuer: string, tenantId: string): Promise<Opened> {
    return this.#start({
      issuer,
      audiences: [tokenExchangeAppId],
      tenantId,
      keys: () => this.#options.own?.publishedKeys() ?? [],
      tokenVersion: '2.0',
      claims: { applicationId: 'azp', tokenId: 'uti' },
    })
  }

  async #start(issuer: GuardOptions['issuers'][number]): Promise<Opened> {
    let fault: KeySetErrorCode | undefined
    const guard = createGuard<string>(
      {
        issuers: [issuer],
        // A federated identity has no roles here, but the guard requires at least one name.
        roles: ['federated'],
        maxCachedTokens: 100,
        testKeys: this.#options.testKeys,
        listener: (event) => {
          // An own key set that is empty is an outage of this server.
          const isOther = issuer.keySetUrl !== undefined
          if (isOther && event.type === 'key_set_refresh_failed') fault = event.error.code
        },
      },
      this.#options.runtime,
    )
    await guard.start()
    return { guard, fault: () => fault }
  }

  #removeBeyond(count: number): void {
    for (const [key, { opened }] of this.#entries) {
      if (this.#entries.size <= count) return
      this.#entries.delete(key)
      opened?.then(
        ({ guard }) => guard.stop(),
        () => undefined,
      )
    }
  }
}

/** What a refusal of the guard means. Any other one is a signature or a claim that is wrong. */
const meanings: Partial<Record<RefusalReason, FederatedVerification>> = {
  expired: 'time_invalid',
  key_unknown: 'key_unknown',
  keys_unavailable: 'issuer_unreachable',
  not_yet_valid: 'time_invalid',
}
/** Faults of a key set that was read. */
const malformed: ReadonlySet<KeySetErrorCode | undefined> = new Set([
  'not_json',
  'not_a_key_set',
  'no_usable_key',
])

async function judge(
  opened: Opened | undefined,
  token: string,
  { subject }: ExpectedToken,
): Promise<FederatedVerification> {
  if (opened === undefined) return 'issuer_unreachable'
  const { guard, fault } = opened
  const decision = await guard.decide({ authorization: `Bearer ${token}`, target: '/' }, anyCaller)
  if (decision.outcome === 'admitted') return decision.subject === subject ? 'valid' : 'invalid'
  const { reason } = decision
  if (reason === 'keys_unavailable' && malformed.has(fault())) return 'keys_malformed'
  return meanings[reason] ?? 'invalid'
}

/**
 * The hosts from which this server may request keys, so that a client cannot make it call other hosts.
 *
 * An allowed host may have a private address, as issuers in clusters do. The name of any other host
 * is never resolved.
 */
export class IssuerHostList {
  readonly #hosts: ReadonlySet<string>

  /** @param hosts names or addresses in lower case, with the port unless it is the default port */
  constructor(hosts: Iterable<string>) {
    this.#hosts = new Set(hosts)
  }

  /** Whether a URL is allowed: its host is on the list, and it uses https or is on this machine. */
  allows(url: string): boolean {
    const parsed = URL.parse(url)
    return parsed !== null && isSafeIssuerUrl(parsed) && this.#hosts.has(parsed.host)
  }
}
