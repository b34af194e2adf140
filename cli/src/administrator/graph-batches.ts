import { type GraphRequest, parseAnswer } from '@greeting/registrations/apply'
import { z } from 'zod'

/** The application roles that the commands of an administrator need. */
type GraphRole =
  | 'Application.ReadWrite.All'
  | 'AppRoleAssignment.ReadWrite.All'
  | 'SigningKey.ReadWrite.All'
  | 'AuditLog.Read.All'

/** A request of an administrator: to Graph, or to the management API. */
export type AdministratorRequest = Omit<GraphRequest, 'role'> & { readonly role?: GraphRole }

/** The answer to such a request, of any status. */
export type AdministratorReply = {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the body; undefined when it has none. */
  readonly body: unknown
}

/** Sends a request with the token of the administrator. */
type SendOnce = (request: AdministratorRequest) => Promise<AdministratorReply>

/** The requests of one batch. Microsoft Graph permits 20. */
export const maxRequestsPerBatch = 4

const batchLine = { method: 'POST', path: '/$batch' } as const

const batchAnswer = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.int(),
      headers: z.record(z.string(), z.string()).nullish(),
      body: z.unknown().optional(),
    }),
  ),
})

type Waiting = {
  readonly request: AdministratorRequest
  readonly resolve: (reply: AdministratorReply | Promise<AdministratorReply>) => void
  readonly reject: (cause: unknown) => void
}

/**
 * Sends the requests that wait at the same time in batches. A request that waits alone is sent alone.
 * The requests of a batch must not depend on each other.
 *
 * @see https://learn.microsoft.com/graph/json-batching
 */
export class GraphBatches {
  readonly #sendOnce: SendOnce
  readonly #maxInFlight: number
  readonly #waiting: Waiting[] = []
  #inFlight = 0

  constructor(sendOnce: SendOnce, maxInFlight: number) {
    this.#sendOnce = sendOnce
    this.#maxInFlight = maxInFlight
  }

  /** Sends a request, and resolves with the answer to it. */
  send(request: AdministratorRequest): Promise<AdministratorReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      this.#sendSoon()
    })
  }

  /** Waits for the other requests of this turn of the event loop. */
  #sendSoon(): void {
    setImmediate(() => {
      while (this.#waiting.length > 0 && this.#inFlight < this.#maxInFlight) {
        const together = this.#waiting.splice(0, maxRequestsPerBatch)
        this.#inFlight += 1
        void this.#sendTogether(together).finally(() => {
          this.#inFlight -= 1
          this.#sendSoon()
        })
      }
    })
  }

  async #sendTogether(together: readonly Waiting[]): Promise<void> {
    try {
      const replies = await this.#repliesTo(together.map(({ request }) => request))
      for (const [index, { request, resolve, reject }] of together.entries()) {
        const reply = replies[index]
        if (reply === undefined) reject(new Error(missingAnswer(request)))
        // Sent alone, it gets a new token, or an error that names the missing role.
        else if (reply.status === 401 || reply.status === 403)
          await this.#sendOnce(request).then(resolve, reject)
        else resolve(reply)
      }
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  async #repliesTo(
    requests: readonly AdministratorRequest[],
  ): Promise<readonly (AdministratorReply | undefined)[]> {
    const [first, ...others] = requests
    if (first === undefined) return []
    if (others.length === 0) return [await this.#sendOnce(first)]
    const reply = await this.#sendOnce({ ...batchLine, body: { requests: requests.map(partOf) } })
    // The batch was refused as a whole.
    if (reply.status !== 200) return requests.map(() => reply)
    const { responses } = parseAnswer(batchLine, batchAnswer, reply.body)
    const byId = new Map(responses.map((one) => [one.id, one]))
    return requests.map((_, index) => {
      const one = byId.get(String(index))
      return one && { ...one, headers: new Headers(one.headers ?? {}), body: one.body }
    })
  }
}

const partOf = ({ method, path, body, ifMatch }: AdministratorRequest, index: number) => ({
  id: String(index),
  method,
  url: path,
  headers: {
    ...(body && { 'content-type': 'application/json' }),
    ...(ifMatch && { 'if-match': ifMatch }),
  },
  ...(body && { body }),
})

const missingAnswer = ({ method, path }: AdministratorRequest): string =>
  `The response to POST /$batch has no response to ${method} ${path}`
