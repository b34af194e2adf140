import { once } from 'node:events'
import { Agent, createServer, request, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program behind the proxy. */
type Target = { readonly url: string; readonly agent: Agent; isReady: boolean }

const checkIntervalMs = 200

/**
 * A proxy that sends requests to its ready targets in turn. It requests `/readyz` from each target five
 * times a second. It repeats no request: if a target fails, the response is 502, so that a test sees it.
 */
export class RoundRobin implements AsyncDisposable {
  readonly #targets = new Set<Target>()
  readonly #server = createServer((received, response) => {
    const target = this.#next()
    if (target === undefined) return void refuse(response, 503, 'no target is ready')
    const { method, url = '/', headers } = received
    const { hostname, port } = new URL(target.url)
    const sent = request({ hostname, port, method, path: url, headers, agent: target.agent })
    sent.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      refuse(response, 502, `${target.url}: ${cause.code ?? cause.message}`)
    })
    received.pipe(sent)
  })
  readonly #stopping = new AbortController()
  #turn = 0
  #checks: Promise<void> | undefined

  /** The origin of the proxy. */
  readonly url: string

  private constructor(url: string) {
    this.url = url
  }

  /** Starts a proxy without targets on a port of 127.0.0.1. */
  static async start(port: number): Promise<RoundRobin> {
    const proxy = new RoundRobin(`http://127.0.0.1:${port}`)
    proxy.#server.listen(port, '127.0.0.1')
    await once(proxy.#server, 'listening')
    proxy.#checks = proxy.#check()
    return proxy
  }

  /** Adds a target. It receives requests as soon as it is ready. */
  add(url: string): void {
    this.#targets.add({ url, agent: new Agent({ keepAlive: true }), isReady: false })
  }

  /** Waits until a target is ready. */
  async untilReady(url: string): Promise<void> {
    while (![...this.#targets].some((target) => target.url === url && target.isReady))
      await sleep(checkIntervalMs)
  }

  /** Sends a target no more requests. The running ones are answered. */
  remove(url: string): void {
    for (const target of this.#targets) if (target.url === url) this.#targets.delete(target)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#checks
    this.#server.closeAllConnections()
    this.#server.close()
    for (const { agent } of this.#targets) agent.destroy()
  }

  #next(): Target | undefined {
    const ready = [...this.#targets].filter(({ isReady }) => isReady)
    this.#turn += 1
    return ready[this.#turn % ready.length]
  }

  async #check(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await Promise.all(
        [...this.#targets].map(async (target) => {
          const answer = await fetch(`${target.url}/readyz`).catch(() => undefined)
          await answer?.arrayBuffer()
          target.isReady = answer?.status === 200
        }),
      )
      await sleep(checkIntervalMs)
    }
  }
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-type': 'text/plain' }).end(reason)
}
