import type { HttpBindings } from '@hono/node-server'

/** What a handler may know of the connection; in a test without a socket there is none. */
export type ServerEnv = { Bindings: Partial<HttpBindings> }
