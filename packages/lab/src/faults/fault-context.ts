import type { HttpBindings } from '@hono/node-server'
import type { LabRefusal } from '../lab-host.ts'

/** The endpoints at which a lab makes faults and records requests. */
export const endpoints = ['token', 'keys', 'discovery', 'graph'] as const

/** An endpoint of the identity provider. */
export type Endpoint = (typeof endpoints)[number]

const methods: Readonly<Record<Endpoint, ReadonlySet<string>>> = {
  token: new Set(['POST']),
  keys: new Set(['GET']),
  discovery: new Set(['GET']),
  graph: new Set(['GET', 'POST', 'PATCH', 'DELETE']),
}

/** The endpoint of a request; undefined for other paths, and for methods such as OPTIONS. */
export function endpointOf(method: string, path: string): Endpoint | undefined {
  const endpoint = endpointAt(path)
  return endpoint !== undefined && methods[endpoint].has(method) ? endpoint : undefined
}

function endpointAt(path: string): Endpoint | undefined {
  if (path.startsWith('/v1.0/')) return 'graph'
  const below = path.slice(path.indexOf('/', 1))
  if (below === '/oauth2/v2.0/token' || below === '/oauth2/token') return 'token'
  if (below === '/discovery/v2.0/keys' || below === '/discovery/keys') return 'keys'
  if (path.includes('/.well-known/') || path === '/common/discovery/instance') return 'discovery'
  return undefined
}

/** The parts that a fault may use to break one response. */
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
