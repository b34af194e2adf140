import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Administrator } from '../drills/administrator.ts'
import { Load } from '../drills/load.ts'
import { startRegionScene } from '../drills/region-scene.ts'
import { requestToken } from '../running/seeded-system.ts'
import type { Check } from './check.ts'

const clientsPerServer = 2
/** The time under load before and after each step, in milliseconds. */
const calmMs = 5000
const pollMs = 100
/** More often than the limit of refusals for a source permits. */
const refusedEveryMs = 500
const defaultAwaySeconds = '180'

/** Loses the primary of two regions under load. No token request fails, no change is lost, and no lost change returns. */
export const regions: Check = {
  name: 'regions',
  programs: ['ip', 'nsenter'],
  lacks: async () => (process.getuid?.() === 0 ? undefined : 'root, which may add networks'),
  run: async (root, { AWAY_SECONDS = defaultAwaySeconds }) => {
    await using scene = await startRegionScene(root)
    const { administrators, clients, cutPrimary, urls } = scene
    const [busy, withdrawn] = clients
    assert.ok(busy && withdrawn && administrators[0])
    const load = new Load()
    for (const url of urls) load.addClients(clientsPerServer, [() => requestToken(busy, url)])
    scene.stack.defer(async () => void (await load.stop()))
    const writers = administrators.map((one, region) =>
      scene.stack.use(new Writer(one, `region ${region + 1}`)),
    )
    await sleep(calmMs)
    for (const url of urls) await requestToken(withdrawn, url)
    await removeSecrets(administrators[0], withdrawn.client.applicationId)
    const refusals = new Set<string | undefined>()
    const requireRefusals = async () => {
      for (const url of urls)
        await assert.rejects(requestToken(withdrawn, url), ({ message }) => {
          const [, status] = /^token: (401|429) /.exec(message) ?? []
          refusals.add(status)
          return status !== undefined
        })
    }
    await sleep(calmMs)
    await requireRefusals()

    cutPrimary(true)
    const endMs = performance.now() + Number(AWAY_SECONDS) * 1000
    await sleep(calmMs)
    const written = writers.map(({ acknowledged }) => acknowledged)
    while (performance.now() < endMs) {
      await requireRefusals()
      for (const url of urls) assert.deepEqual(await standbyOf(url), { status: 200, isUsed: true })
      await sleep(refusedEveryMs)
    }
    assert.deepEqual(refusals, new Set(['401', '429']), 'the rate limit of refusals holds')
    assert.deepEqual(
      writers.map(({ acknowledged }) => acknowledged),
      written,
      'changes while the primary was away',
    )
    for (const writer of writers) assert.ok(writer.refused > 0, 'no change was refused')

    cutPrimary(false)
    const mendedMs = performance.now()
    for (const [index, writer] of writers.entries())
      while (writer.acknowledged === written[index]) await sleep(pollMs)
    const backMs = performance.now() - mendedMs
    await sleep(calmMs)
    await requireRefusals()
    await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()))
    const { failures, quantileMs, requests } = await load.stop()
    assert.deepEqual(failures, [])
    await sleep(calmMs)
    for (const administrator of administrators) {
      const names = await administrator.applicationNames()
      for (const writer of writers) writer.check(names)
    }
    const sum = (count: (writer: Writer) => number) =>
      writers.reduce((total, writer) => total + count(writer), 0)
    return [
      `${requests} tokens of ${urls.length} servers in two regions, ${AWAY_SECONDS} s of them without the primary: 0 failed, p99 ${quantileMs(0.99).toFixed()} ms, longest ${quantileMs(1).toFixed()} ms`,
      `${sum((one) => one.acknowledged)} changes: 0 lost, 0 returned; ${sum((one) => one.refused)} refused with 503; the first one ${(backMs / 1000).toFixed(1)} s after the return`,
    ]
  },
}

/** Creates applications, and deletes each second one, until `stop`. */
class Writer implements AsyncDisposable {
  readonly #administrator: Administrator
  readonly #name: string
  readonly #created = new Set<string>()
  readonly #deleted = new Set<string>()
  readonly #running: Promise<void>
  #isStopped = false
  #fault: unknown
  refused = 0

  constructor(administrator: Administrator, name: string) {
    this.#administrator = administrator
    this.#name = name
    this.#running = this.#repeat().catch((fault) => {
      this.#fault = fault
    })
  }

  /**
   * The number of changes that were acknowledged.
   *
   * @throws {Error} when a change had another end than success or 503
   */
  get acknowledged(): number {
    if (this.#fault !== undefined) throw this.#fault
    return this.#created.size + 2 * this.#deleted.size
  }

  /** @throws {Error} for a change of the first try that is lost */
  check(names: ReadonlySet<string>): void {
    for (const name of this.#created) assert.ok(names.has(name), `${name} is lost`)
    for (const name of this.#deleted) assert.ok(!names.has(name), `${name} has returned`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #repeat(): Promise<void> {
    for (let count = 0; !this.#isStopped; count += 1) {
      await sleep(pollMs)
      const displayName = `${this.#name}, application ${count}`
      const created = await this.#send('POST', '', { displayName }, 201)
      if (created === undefined) continue
      this.#created.add(displayName)
      if (count % 2 === 0) continue
      const { id } = (await created.json()) as { id: string }
      // Its end is unknown until the response.
      this.#created.delete(displayName)
      if (await this.#send('DELETE', `/${id}`, undefined, 204)) this.#deleted.add(displayName)
    }
  }

  /** Returns undefined when the change is refused with 503. */
  async #send(method: string, path: string, body: object | undefined, expected: number) {
    const answer = await this.#administrator.send(
      'graph',
      method,
      `/v1.0/applications${path}`,
      body,
    )
    if (answer.status === expected) return answer
    assert.equal(answer.status, 503, await answer.text())
    this.refused += 1
    return undefined
  }
}

async function removeSecrets(administrator: Administrator, applicationId: string): Promise<void> {
  const path = `/v1.0/applications(appId='${applicationId}')`
  const { passwordCredentials } = (await (
    await administrator.send('graph', 'GET', path)
  ).json()) as {
    readonly passwordCredentials: readonly { readonly keyId: string }[]
  }
  for (const { keyId } of passwordCredentials) {
    const { status } = await administrator.send('graph', 'POST', `${path}/removePassword`, {
      keyId,
    })
    assert.equal(status, 204)
  }
}

async function standbyOf(url: string) {
  const answer = await fetch(`${url}/readyz`)
  const { standby } = (await answer.json()) as { readonly standby: { readonly isUsed: boolean } }
  return { status: answer.status, isUsed: standby.isUsed }
}
