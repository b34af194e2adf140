/** A message on the IPC channel, which clones it (serialization `advanced`). */
type Message =
  | {
      readonly kind: 'question'
      readonly id: number
      readonly topic: string
      readonly body: unknown
    }
  | { readonly kind: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly reason: string }
  | { readonly kind: 'notice'; readonly topic: string; readonly body: unknown }

/** The process at the other end: `process` in a worker, `cluster.Worker` in the primary process. */
export type Peer = {
  readonly send?: (message: object) => unknown
  readonly on: (event: 'message', listener: (message: unknown) => void) => unknown
  readonly isConnected?: () => boolean
}

type Handler = (body: unknown) => unknown

const defaultTimeoutMs = 10_000

/** Questions and notices between the primary process and one worker. */
export class Channel {
  readonly #peer: Peer
  readonly #answers = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #handlers = new Map<string, Handler>()
  #lastId = 0

  constructor(peer: Peer) {
    this.#peer = peer
    peer.on('message', (message) => void this.#receive(message as Message))
  }

  /** Answers the questions of a topic, and receives its notices. */
  handle(topic: string, handler: Handler): void {
    this.#handlers.set(topic, handler)
  }

  /**
   * Asks the other end.
   *
   * @param timeoutMs default 10 s
   * @throws {Error} when the other end fails, does not answer in time, or is gone
   */
  async ask(topic: string, body: unknown = null, timeoutMs = defaultTimeoutMs): Promise<unknown> {
    this.#lastId += 1
    const id = this.#lastId
    const answer = Promise.withResolvers<unknown>()
    this.#answers.set(id, answer)
    const timeout = setTimeout(
      () => answer.reject(new Error(`no answer about ${topic} within ${timeoutMs} ms`)),
      timeoutMs,
    )
    try {
      this.#send({ kind: 'question', id, topic, body })
      return await answer.promise
    } finally {
      clearTimeout(timeout)
      this.#answers.delete(id)
    }
  }

  /** Sends a notice. It is lost when the other end is gone. */
  tell(topic: string, body: unknown = null): void {
    try {
      this.#send({ kind: 'notice', topic, body })
    } catch {
      // The other end has ended. The primary process sees it by another event.
    }
  }

  async #receive(message: Message): Promise<void> {
    if (message.kind === 'answer') this.#answers.get(message.id)?.resolve(message.body)
    else if (message.kind === 'failure') {
      this.#answers.get(message.id)?.reject(new Error(message.reason))
    } else if (message.kind === 'notice') await this.#handlers.get(message.topic)?.(message.body)
    else if (message.kind === 'question') await this.#answerQuestion(message)
  }

  async #answerQuestion({ id, topic, body }: Message & { kind: 'question' }): Promise<void> {
    try {
      const handler = this.#handlers.get(topic)
      if (handler === undefined) throw new Error(`nothing answers questions about ${topic}`)
      const answer = (await handler(body)) ?? null
      this.#send({ kind: 'answer', id, body: answer })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      try {
        this.#send({ kind: 'failure', id, reason })
      } catch {
        // The other end has ended.
      }
    }
  }

  #send(message: Message): void {
    if (this.#peer.isConnected?.() === false) throw new Error('the other process has ended')
    this.#peer.send?.(message)
  }
}
