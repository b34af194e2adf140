import { isLoopback, isTrustworthy } from '@greeting/portal/parts/security/portal-origins'
import type { Authority } from '../dialect/authority.ts'
import type { Log } from '../http/service-options.ts'
import type { Settings } from '../settings.ts'

/**
 * Whether a listener serves the portal. By default only a server that no other machine can reach does.
 * Behind a proxy, the public URL of the server is not on loopback.
 */
export function isPortalOn(
  { PORTAL, HOST }: Pick<Settings, 'PORTAL' | 'HOST'>,
  { authUrl }: Pick<Authority, 'authUrl'>,
  log: Pick<Log, 'warn'>,
): boolean {
  const isLocal = isLoopback(`http://${HOST.includes(':') ? `[${HOST}]` : HOST}`)
  if (PORTAL !== 'on') return PORTAL === undefined && isLocal && isLoopback(authUrl)
  if (isTrustworthy(authUrl)) return true
  log.warn({ authUrl }, 'the portal is off at this address: it needs HTTPS')
  return false
}
