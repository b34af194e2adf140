import type { HttpBindings } from '@hono/node-server'
import type { LabRefusal } from '../lab-host.ts'
import type { Endpoint } from './endpoint.ts'

/** What a fault may use to break one answer. */
export type FaultContext = {
  readonly endpoint: Endpoint
  readonly request: Request
  /** The claimed client of the request; undefined when it names none. */
  readonly clientId: string | undefined
  /** Node's request, to end its connection; undefined without a socket. */
  readonly bindings: Partial<HttpBindings> | undefined
  /** Asks the server itself for the answer. */
  readonly answer: () => Promise<Response>
  /** Waits. A reset of the lab ends it early. */
  readonly sleep: (delayMs: number) => Promise<void>
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** The answer of the identity provider to a refused token request. */
  readonly refuse: (refusal: LabRefusal) => Response
  /** Signs changed claims of a token again. */
  readonly signAgain: (
    token: string,
    change: (claims: Record<string, unknown>) => Record<string, unknown>,
    key: 'published' | 'unpublished',
  ) => Promise<string>
  /** The ID of the key that signs now. */
  readonly activeKeyId: () => string
}
