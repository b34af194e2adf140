const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]']

/** Whether a URL names this machine, so that no other machine can open it. */
export const isLoopback = (url: string): boolean => loopbackHosts.includes(new URL(url).hostname)

/**
 * The origins at which browsers may use the portal: that of the server, and on loopback the other
 * names of this machine. A request with another `Host` is not answered, so that a foreign name which
 * resolves to this machine is useless (DNS rebinding).
 */
export function portalOrigins(authUrl: string): ReadonlySet<string> {
  const { origin, protocol, port } = new URL(authUrl)
  if (!isLoopback(authUrl)) return new Set([origin])
  const suffix = port === '' ? '' : `:${port}`
  return new Set(loopbackHosts.map((host) => `${protocol}//${host}${suffix}`))
}

/** Whether browsers keep a `Secure` cookie of this origin. */
export const isTrustworthy = (authUrl: string): boolean =>
  new URL(authUrl).protocol === 'https:' || isLoopback(authUrl)

/** A path within the portal; undefined for any other text, such as a URL of another origin. */
export function portalPath(text: string): string | undefined {
  const base = 'http://portal.invalid'
  if (!URL.canParse(text, base)) return undefined
  const { origin, pathname, search } = new URL(text, base)
  const isInside = pathname === '/portal' || pathname.startsWith('/portal/')
  return origin === base && isInside ? `${pathname}${search}` : undefined
}

type Keyed = { readonly key: string }

const keyedPath = /^\/portal\/s-([0-9a-f]{32})(?=\/|$)/
// Values cannot contain a quotation mark: they are escaped.
const links = /( (?:href|action)=")\/portal(?=[/?#"])(?!\/static\/)/g

/**
 * The key in the path of a page, such as `/portal/s-<key>/applications`; undefined without one.
 *
 * Browsers send a cookie to every port of a host, but pages of another port cannot read the URLs of
 * the portal. So a session needs both: its cookie, and its key in the path.
 */
export const sessionKeyOf = (pathname: string): string | undefined => keyedPath.exec(pathname)?.[1]

/** A path as the routes and the logs have it. */
export const withoutSessionKey = (pathname: string): string =>
  pathname.replace(keyedPath, '/portal')

/** The path of a page or a form, for one session. */
export const withSessionKey = ({ key }: Keyed, path: string): string =>
  `/portal/s-${key}${path.slice('/portal'.length)}`

/** Adds the key to the links and the forms of a page. */
export const linksWithSessionKey = (page: string, { key }: Keyed): string =>
  page.replaceAll(links, `$1/portal/s-${key}`)
