// Folder: The controls of a test over a server, by an interface that the lab declares.

import type { Fetch } from '@greeting/http-service'
import { Faults } from './faults/faults.ts'
import { Forge } from './forge/forge.ts'
import { type ForgeryName, makeForgeries } from './forge/forgeries.ts'
import { type Forgery, forgeryMaterial } from './forge/forgery.ts'
import { LabClock } from './lab-clock.ts'
import { LabFederation } from './lab-federation.ts'
import { labHandler } from './lab-handler.ts'
import type { LabHost, LabKey, LabListener, MintRequest } from './lab-host.ts'
import { type ClientMisuse, judge } from './requests/judge.ts'
import { RequestLog } from './requests/request-log.ts'

/** The signing keys of a server, which a test may change. */
export class LabKeys {
  readonly #keys: LabHost['keys']

  constructor(keys: LabHost['keys']) {
    this.#keys = keys
  }

  /** The keys, in the order in which they sign. */
  list(): readonly LabKey[] {
    return this.#keys.list()
  }

  /** The ID of the key that signs. */
  get activeId(): string {
    return this.list().find(({ phase }) => phase === 'active')?.kid ?? ''
  }

  /**
   * Lets the announced key sign at once, without the notice of a rotation on demand. The previous key stays
   * published.
   *
   * @returns the ID of the key that signs now
   */
  async rotate(): Promise<string> {
    await this.#keys.rotate()
    return this.activeId
  }

  /**
   * Removes a key at once: its tokens are refused as soon as the key set is read again.
   *
   * @param kid default: the key that signs
   * @throws {SigningError} signing_key_unknown when no key has this ID
   */
  revoke(kid: string = this.activeId): Promise<void> {
    return this.#keys.revoke(kid)
  }
}

/** The log, the clocks and the randomness of a lab. */
export type LabOptions = {
  /** Receives the faults: armed, applied and cleared. */
  readonly log?: Record<'info' | 'error', (fields: object, message: string) => void>
  /** The clock of the system, in milliseconds since the epoch; default `Date.now`. */
  readonly systemNowMs?: () => number
  /** Monotonic clock in milliseconds; default `performance.now`. */
  readonly monotonicNowMs?: () => number
  /** From 0 up to, but not including, 1; default `Math.random`. */
  readonly random?: () => number
}

/** The controls of a running server: its clock, its faults, its requests, its keys and its tokens. */
export class Lab {
  readonly clock: LabClock
  readonly faults: Faults
  readonly requests = new RequestLog()
  readonly federation: LabFederation
  readonly #options: LabOptions
  #connected: { readonly host: LabHost; readonly forge: Forge } | undefined
  #keyMaintenance: Promise<unknown> = Promise.resolve()
  #pauses = new AbortController()

  constructor(options: LabOptions = {}) {
    const { log, systemNowMs } = options
    this.#options = options
    this.clock = new LabClock(systemNowMs, () => this.#maintainKeys())
    this.federation = new LabFederation(this.clock.now, () => this.#use().host)
    this.faults = new Faults({
      nowMs: this.clock.wallClockMs,
      onEvent: (event, { id, fault, at, applied }) =>
        log?.info({ id, fault, at, applied }, `fault ${event}`),
    })
  }

  /** Receives the server, at the start and after each reset. */
  connect(host: LabHost): void {
    this.#connected = { host, forge: new Forge(host) }
  }

  /** Makes the handler of a listener, around its app. */
  handlerOf(listener: LabListener): Fetch {
    const { forge } = this.#use()
    const { monotonicNowMs = () => performance.now(), random = Math.random } = this.#options
    const handle = labHandler(listener, {
      now: this.clock.now,
      faults: this.faults,
      requests: this.requests,
      forge,
      activeKeyId: () => this.keys.activeId,
      signal: () => this.#pauses.signal,
      monotonicNowMs,
      random,
    })
    return async (request, bindings) => {
      // A rotation that became due must be published before the next answer.
      await this.#keyMaintenance
      const { pathname } = new URL(request.url)
      const isOwn = pathname === '/lab' || pathname.startsWith('/lab/')
      return isOwn ? listener.operations.fetch(request, bindings) : handle(request, bindings)
    }
  }

  /** The signing keys of the server. */
  get keys(): LabKeys {
    return new LabKeys(this.#use().host.keys)
  }

  /**
   * Makes a token with any content. By default, it is the one that the server would issue.
   *
   * @throws {MintError} mint_invalid when the API or the client does not exist
   */
  mint(request: MintRequest): Promise<string> {
    return this.#use().forge.mint(request)
  }

  /**
   * Makes hostile tokens for an API, each of which it must refuse, and a genuine one.
   *
   * @throws {MintError} mint_invalid when the API does not exist
   */
  async forgeries(
    request: MintRequest,
  ): Promise<{ readonly genuine: string; readonly forgeries: readonly Forgery<ForgeryName>[] }> {
    const { host } = this.#use()
    const parts = await host.genuine(request)
    const nowSeconds = Math.floor(this.clock.wallClockMs() / 1000)
    const material = forgeryMaterial(parts, host.publishedKey(), nowSeconds)
    return { genuine: material.token, forgeries: makeForgeries(material) }
  }

  /** The mistakes of clients in the recorded requests. */
  judge(): readonly ClientMisuse[] {
    return judge(this.requests.all())
  }

  /** The values of the enabled app roles of an API, and the version of its tokens. */
  async apiOf(applicationId: string): Promise<{
    readonly roles: readonly string[]
    readonly tokenVersion: '1.0' | '2.0'
  }> {
    return await this.#use().host.apiOf(applicationId)
  }

  /**
   * Ends all secrets of a client now.
   *
   * @throws {MintError} mint_invalid when the client does not exist
   */
  async expireSecrets(applicationId: string): Promise<void> {
    await this.#use().host.endSecrets(applicationId)
  }

  /** Removes the faults and the requests, ends their pauses, and brings back the clock of the system. */
  reset(): void {
    this.#pauses.abort()
    this.#pauses = new AbortController()
    this.faults.clear()
    this.requests.clear()
    this.clock.reset()
  }

  /** @throws {TypeError} before the server has started */
  #use() {
    if (this.#connected === undefined) throw new TypeError('The server of the lab has not started')
    return this.#connected
  }

  #maintainKeys(): void {
    this.#keyMaintenance =
      this.#connected?.host.keys.tend().catch(() => undefined) ?? Promise.resolve()
  }
}
