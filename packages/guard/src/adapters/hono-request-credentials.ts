import type { IncomingMessage } from 'node:http'
import type { RequestCredentials } from '../bearer-credentials.ts'
import { NodeRequestCredentials } from './node-request-credentials.ts'
import { WebRequestCredentials } from './web-request-credentials.ts'

/**
 * Reads the credentials of a request to a Hono app.
 *
 * On Node, `@hono/node-server` puts its own request into `env`. Only that request has repeated header
 * fields and the client certificate.
 *
 * @param env the bindings of Hono (`c.env`)
 * @example
 * const credentials = readRequestCredentials(c.req.raw, c.env)
 * const decision = await guard.decide(credentials, 'CallHiApiRole')
 */
export function readRequestCredentials(request: Request, env: unknown): RequestCredentials {
  const { incoming } = (env ?? {}) as { incoming?: IncomingMessage }
  return incoming === undefined
    ? new WebRequestCredentials(request)
    : new NodeRequestCredentials(incoming)
}
