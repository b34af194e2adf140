import type { IncomingMessage } from 'node:http'

/** The request that a client sent to the proxy. */
export type OriginalRequest = {
  readonly method: string
  /** Path and query, as the client sent them. */
  readonly target: string
}

type Incoming = Pick<IncomingMessage, 'rawHeaders' | 'method' | 'url'>
type Source = (incoming: Incoming) => OriginalRequest | undefined

/** The path at which the proxies ask. */
export const authorizePath = '/authorize'

/** Both fields exactly once: of a repeated field, proxy and client may each have sent one. */
const fields =
  (methodName: string, targetName: string): Source =>
  ({ rawHeaders }) => {
    let method: string | undefined
    let target: string | undefined
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]?.toLowerCase()
      if (name === methodName) {
        if (method !== undefined) return undefined
        method = rawHeaders[index + 1]
      } else if (name === targetName) {
        if (target !== undefined) return undefined
        target = rawHeaders[index + 1]
      }
    }
    return method === undefined || target === undefined ? undefined : { method, target }
  }

/** Envoy sends the request itself, below a prefix of the path. */
const ownTarget: Source = ({ method = '', url = '' }) => ({
  method,
  target: url.slice(authorizePath.length),
})

const original = ['x-original-method', 'x-original-uri'] as const
const forwarded = ['x-forwarded-method', 'x-forwarded-uri'] as const

/** The supported proxies. */
export const proxyNames = ['nginx', 'haproxy', 'envoy', 'traefik', 'caddy'] as const

export type ProxyName = (typeof proxyNames)[number]

/**
 * The fields of the original request for each proxy, in lower case. Only these are read: a proxy overwrites
 * its own ones, and passes on the others as the client sent them.
 */
export const fieldsOfProxies: Readonly<
  Record<ProxyName, readonly [] | readonly [method: string, target: string]>
> = {
  nginx: original,
  haproxy: original,
  envoy: [],
  traefik: forwarded,
  caddy: forwarded,
}

export const isProxyName = (name: string): name is ProxyName => Object.hasOwn(fieldsOfProxies, name)

/** A method of the IANA registry has upper case. Servers read others differently. */
const methodForm = /^[A-Z][A-Z-]{0,31}$/

/**
 * Reads the original request of one proxy.
 *
 * @returns undefined when method or target is missing, is repeated, or has another form
 */
export function readOriginalRequest(
  proxy: ProxyName,
  incoming: Incoming,
): OriginalRequest | undefined {
  const names = fieldsOfProxies[proxy]
  const request = names.length === 0 ? ownTarget(incoming) : fields(...names)(incoming)
  return request !== undefined && methodForm.test(request.method) ? request : undefined
}
