import type { PortalSession } from './portal-session.ts'

type Keyed = Pick<PortalSession, 'key'>

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
