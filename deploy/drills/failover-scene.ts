import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Running, startProcess } from '../running/process.ts'
import { readSeeded, requestToken, type SystemIdentity } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import { Administrator } from './administrator.ts'
import { Load } from './load.ts'
import { newKeyEncryptionKey } from './rolling-scene.ts'
import { SingleAssertions } from './single-assertions.ts'

/** The time under load before and after each event, in milliseconds. */
const calmMs = 3000
const servedWithinMs = 60_000
const clientsOfServer = 2
/** The clients send each assertion twice, and so are refused often. */
const withoutThrottling = {
  WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE: '100000',
  WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: '100000',
}
const authUrl = 'http://failover.localhost:4000'

/** What the clients of one server received during an event. */
export type TokenFigures = {
  readonly requests: number
  readonly failed: number
  readonly longestGapMs: number
}

type Server = { readonly running: Running; readonly administrator: Administrator }

/** Identity providers over one store, and clients that remember what was acknowledged. */
export class FailoverScene implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack
  readonly #servers: readonly Server[]
  readonly #system: SystemIdentity
  readonly #assertions: SingleAssertions
  readonly #created: string[] = []
  readonly #deleted: string[] = []
  #names = 0

  private constructor(
    resources: AsyncDisposableStack,
    servers: readonly Server[],
    system: SystemIdentity,
    assertions: SingleAssertions,
  ) {
    this.#resources = resources
    this.#servers = servers
    this.#system = system
    this.#assertions = assertions
  }

  /**
   * Starts one server for each element.
   *
   * @param stores where each server finds the store, as environment variables
   */
  static async start(
    root: string,
    stores: readonly Readonly<Record<string, string>>[],
  ): Promise<FailoverScene> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'greeting-failover-')), (path) =>
      rmSync(path, { recursive: true }),
    )
    const KEY_ENCRYPTION_KEY = newKeyEncryptionKey()
    const dataDirOf = (index: number) => join(folder, `data-${index}`)
    const servers: Server[] = []
    for (const [index, store] of stores.entries()) {
      mkdirSync(dataDirOf(index))
      const { command, settings, registrations } = sourceLauncher(root, dataDirOf(index))
      const running = await startProcess(command('identity-provider'), {
        ...settings('identity-provider'),
        ...store,
        HOST: '127.0.0.1',
        PORT: '0',
        AUTH_URL: authUrl,
        ASSERTION_USE: 'once',
        ...withoutThrottling,
        REGISTRATIONS: registrations,
        KEY_ENCRYPTION_KEY,
      })
      stack.use(running)
      servers.push({ running, administrator: new Administrator(running.url, dataDirOf(0)) })
    }
    const [first] = servers
    assert.ok(first)
    const system = readSeeded(dataDirOf(0))
    const assertions = await SingleAssertions.create(system, first.administrator, authUrl)
    return new FailoverScene(stack.move(), servers, system, assertions)
  }

  get origins(): readonly string[] {
    return this.#servers.map(({ running }) => running.url)
  }

  /**
   * Lets something happen under load, and waits until each server issues tokens and accepts changes.
   *
   * @returns the figures of each server
   */
  async during(event: () => Promise<void>): Promise<readonly TokenFigures[]> {
    const tokens = this.origins.map((origin) => this.#requestTokens(origin))
    const changes = new Load()
    for (const { administrator } of this.#servers)
      changes.addClients(1, [() => this.#change(administrator)])
    changes.addClients(1, [() => this.#assertions.use(this.origins)])
    try {
      await sleep(calmMs)
      await event()
      for (const server of this.#servers) await this.#untilServed(server)
      await sleep(calmMs)
    } finally {
      await changes.stop()
    }
    return Promise.all(tokens.map((one) => one.stop()))
  }

  /** Compares the store with what was acknowledged, and returns a line. */
  async assertKept(): Promise<string> {
    for (const { administrator } of this.#servers) {
      const names = await administrator.eachApplicationName()
      const isThere = new Set(names)
      const lost = this.#created.filter((name) => !isThere.has(name))
      assert.deepEqual(lost, [], 'acknowledged changes are lost')
      const revived = this.#deleted.filter((name) => isThere.has(name))
      assert.deepEqual(revived, [], 'deleted applications are there again')
      const made = names.filter((name) => name.startsWith('change '))
      assert.equal(new Set(made).size, made.length, 'an application was created twice')
    }
    await this.#assertions.assertAcceptedOnce(this.origins)
    const { accepted } = this.#assertions
    return `${this.#created.length} created and ${this.#deleted.length} deleted applications are as acknowledged, none twice; ${accepted} accepted assertions, each refused the second time`
  }

  /** Creates an application, and deletes every second one. */
  async #change(administrator: Administrator): Promise<void> {
    const number = this.#names++
    const name = `change ${number}`
    const id = await administrator.createApplication(name)
    if (number % 4 < 2) return void this.#created.push(name)
    const answer = await administrator.send('graph', 'DELETE', `/v1.0/applications/${id}`)
    if (answer.status !== 204) throw new Error(`${name}: ${answer.status}`)
    this.#deleted.push(name)
  }

  #requestTokens(origin: string) {
    const load = new Load()
    let lastMs = performance.now()
    let longestGapMs = 0
    load.addClients(clientsOfServer, [
      async () => {
        await requestToken(this.#system, origin)
        longestGapMs = Math.max(longestGapMs, performance.now() - lastMs)
        lastMs = performance.now()
      },
    ])
    const stop = async (): Promise<TokenFigures> => {
      const { requests, failures } = await load.stop()
      return { requests, failed: failures.length, longestGapMs: Math.round(longestGapMs) }
    }
    return { stop }
  }

  async #untilServed({ administrator, running }: Server): Promise<void> {
    const startedMs = performance.now()
    for (;;) {
      const failure = await this.#change(administrator)
        .then(() => requestToken(this.#system, running.url))
        .then(
          () => undefined,
          (error: Error) => error.message,
        )
      if (failure === undefined) return
      assert.ok(performance.now() - startedMs < servedWithinMs, `not served: ${failure}`)
      await sleep(100)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
  }
}
