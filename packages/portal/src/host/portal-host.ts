import type { ReplayCache } from '@greeting/identity-provider/parts/audit/replay-cache'
import type { ServiceOptions } from '@greeting/identity-provider/parts/http/service-options'
import type { KeyEncryptionKey } from '@greeting/identity-provider/parts/signing/key-encryption-key'
import type { Hono } from 'hono'
import type { PortalLab } from '../portal-lab.ts'

/** Everything that the portal needs. */
export type PortalOptions = {
  readonly service: ServiceOptions
  /** The management APIs, for the caller that the environment of a request names. */
  readonly management: Hono
  readonly keyEncryptionKey: KeyEncryptionKey
  /** Records the one-time links that were used, and the sessions that were ended, on all replicas. */
  readonly usedUp: ReplayCache
  /** The authority over HTTPS; undefined when HTTPS is off. */
  readonly httpsAuthUrl: string | undefined
  /** The URL of the listener for metrics; undefined when it is off. */
  readonly metricsUrl?: string | undefined
  /** Sends a token request to the token endpoint of this server. */
  readonly requestToken: (request: Request) => Response | Promise<Response>
  /** The lab of this server; undefined when it is off. */
  readonly lab: PortalLab | undefined
}
