import type { Fetch, ServerEnv } from '@greeting/http-service'
import type { Authority } from '@greeting/identity-provider/parts/dialect/authority'
import { put } from '@greeting/identity-provider/parts/directory/directory-change'
import { systemRuntime } from '@greeting/identity-provider/parts/directory/runtime'
import type { Log } from '@greeting/identity-provider/parts/http/service-options'
import type { Authenticate } from '@greeting/identity-provider/parts/management/privileges/caller'
import { system } from '@greeting/identity-provider/parts/signing/key-event'
import type { LabParts, ServiceLab } from '@greeting/identity-provider/parts/startup/environment'
import type { Hono } from 'hono'
import { faultKinds } from './faults/fault-kinds.ts'
import { Faults } from './faults/faults.ts'
import { Forge, MintError, type MintRequest } from './forge/forge.ts'
import { type ForgeryName, makeForgeries } from './forge/forgeries.ts'
import type { Forgery } from './forge/forgery.ts'
import { forgeryMaterial } from './forge/forgery-material.ts'
import { createLabApp } from './http/lab-operations.ts'
import { LabClock } from './lab-clock.ts'
import { LabFederation } from './lab-federation.ts'
import { labHandler } from './lab-handler.ts'
import { LabKeys } from './lab-keys.ts'
import type { LabPowers } from './lab-powers.ts'
import { type ClientMisuse, judge } from './requests/judge.ts'
import { RequestLog } from './requests/request-log.ts'

/** The log, the clocks and the randomness of a lab. */
export type LabOptions = {
  /** Receives the faults: armed, applied and cleared. */
  readonly log?: Pick<Log, 'info' | 'error'>
  /** The clock of the system, in milliseconds since the epoch; default `Date.now`. */
  readonly systemNowMs?: () => number
  /** Monotonic clock in milliseconds; default `performance.now`. */
  readonly monotonicNowMs?: () => number
  /** From 0 up to, but not including, 1; default `Math.random`. */
  readonly random?: () => number
}

/** The powers over a running server: its clock, its faults, its requests, its keys and its tokens. */
export class Lab implements ServiceLab, LabPowers {
  readonly clock: LabClock
  readonly faults: Faults
  readonly requests = new RequestLog()
  readonly federation: LabFederation
  readonly #options: LabOptions
  #connected: { readonly parts: LabParts; readonly forge: Forge } | undefined
  #keysTended: Promise<unknown> = Promise.resolve()
  #pauses = new AbortController()

  constructor(options: LabOptions = {}) {
    const { log, systemNowMs } = options
    this.#options = options
    this.clock = new LabClock(systemNowMs, () => this.#tendKeys())
    this.federation = new LabFederation(this.clock.now, () => this.#use().parts.testKeys)
    this.faults = new Faults({
      nowMs: this.clock.wallClockMs,
      onEvent: (event, { id, fault, at, applied }) =>
        log?.info({ id, fault, at, applied }, `fault ${event}`),
    })
  }

  connect = (parts: LabParts): void => {
    this.#connected = { parts, forge: new Forge(parts, this.#runtime) }
  }

  handlerOf = (app: Hono<ServerEnv>, authority: Authority): Fetch => {
    const { forge } = this.#use()
    const { monotonicNowMs = () => performance.now(), random = Math.random } = this.#options
    const labApp = this.#operations(authority)
    const handle = labHandler(app, {
      authority,
      runtime: this.#runtime,
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
      await this.#keysTended
      const { pathname } = new URL(request.url)
      const isOwn = pathname === '/lab' || pathname.startsWith('/lab/')
      return isOwn ? labApp.fetch(request, bindings) : handle(request, bindings)
    }
  }

  portalLab = (authority: Authority, authenticate: Authenticate) => ({
    operations: this.#operations(authority, authenticate),
    faultKinds,
  })

  /** The signing keys of the server. */
  get keys(): LabKeys {
    return new LabKeys(this.#use().parts, this.clock.now)
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
    const { forge } = this.#use()
    const parts = await forge.genuine(request)
    const nowSeconds = Math.floor(this.clock.wallClockMs() / 1000)
    const material = forgeryMaterial(parts, await forge.publishedKey(), nowSeconds)
    return { genuine: material.token, forgeries: makeForgeries(material) }
  }

  /** What clients did wrong, by the recorded requests. */
  judge(): readonly ClientMisuse[] {
    return judge(this.requests.all())
  }

  /** The values of the enabled app roles of an API, and the version of its tokens. */
  async apiOf(applicationId: string): Promise<{
    readonly roles: readonly string[]
    readonly tokenVersion: '1.0' | '2.0'
  }> {
    return await this.#use().parts.directory.read((current) => {
      const api = current.applicationByAppId(applicationId)
      const roles = (api?.appRoles ?? []).flatMap(({ isEnabled, value }) =>
        isEnabled && value !== null ? [value] : [],
      )
      return { roles, tokenVersion: api?.requestedAccessTokenVersion === 2 ? '2.0' : '1.0' }
    })
  }

  /**
   * Ends all secrets of a client now.
   *
   * @throws {MintError} mint_invalid when the client does not exist
   */
  async expireSecrets(applicationId: string): Promise<void> {
    const endDateTime = this.clock.now()
    await this.#use().parts.directory.update((directory) => {
      const application = directory.applicationByAppId(applicationId)
      if (application === undefined) {
        throw new MintError(`No client has the application ID ${applicationId.slice(0, 64)}`)
      }
      const passwordCredentials = application.passwordCredentials.map((one) => ({
        ...one,
        endDateTime,
      }))
      const changes = [put('application', { ...application, passwordCredentials })]
      return { changes, audit: [], result: undefined }
    })
  }

  /** Removes the faults and the requests, ends their pauses, and brings back the clock of the system. */
  reset(): void {
    this.#pauses.abort()
    this.#pauses = new AbortController()
    this.faults.clear()
    this.requests.clear()
    this.clock.reset()
  }

  #operations(authority: Authority, authenticate?: Authenticate): Hono {
    return createLabApp(this, {
      parts: this.#use().parts,
      authority,
      runtime: this.#runtime,
      report: (err, ids) => this.#options.log?.error({ err, ...ids }, 'lab request failed'),
      ...(authenticate && { authenticate }),
    })
  }

  get #runtime() {
    return { ...systemRuntime, now: this.clock.now }
  }

  /** @throws {TypeError} before the server has started */
  #use() {
    if (this.#connected === undefined) throw new TypeError('The server of the lab has not started')
    return this.#connected
  }

  #tendKeys(): void {
    this.#keysTended =
      this.#connected?.parts.keys.tend(system).catch(() => undefined) ?? Promise.resolve()
  }
}
