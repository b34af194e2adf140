import type { Runtime } from '@greeting/directory'
import type { AuditLane, AuditRecord, ReplayCache } from '@greeting/directory/audit'
import type { DirectoryStore, StandbyState } from '@greeting/directory/live'
import type { RequestObserver, TrustedProxies } from '@greeting/http-service'
import type { Authority } from '../dialect/authority.ts'
import type { TokenLifetime } from '../dialect/token/token-times.ts'
import type { AuthenticationRules } from '../issuance/client-authentication.ts'
import type { VerifyFederated } from '../issuance/federated-authentication.ts'
import type { PublishedKey } from '../signing/signing-key.ts'
import type { KeyMembers } from '../signing/token-signer.ts'
import type { FailedLoginRateLimit } from './failed-login-rate-limit.ts'
import type { ObserveToken } from './token-observation.ts'

/** The signing keys, as the token service uses them. */
export type TokenKeys = {
  readonly sign: (claims: object, keyMembers: KeyMembers) => Promise<string>
  readonly published: () => readonly PublishedKey[]
  /** Called before `published` decides a response, because another process may have revoked a key. */
  readonly refreshIfOld?: () => Promise<void>
}

/** The operator's log. A pino logger has this type. */
export type Log = Record<
  'debug' | 'info' | 'warn' | 'error',
  (fields: object, message: string) => void
>

/** The dependencies of the token service's routes. */
export type ServiceOptions = Required<
  Pick<
    AuthenticationRules,
    'acceptsLabSecrets' | 'acceptsMcpClients' | 'assertionTimes' | 'ownIssuers'
  >
> & {
  readonly authority: Authority
  /** The public origins of all listeners. Each is a name of Microsoft Graph in token requests. */
  readonly origins: readonly string[]
  readonly directory: Pick<DirectoryStore, 'read'> & Partial<Pick<DirectoryStore, 'readLastKnown'>>
  /** What is read while the store is unavailable; undefined without a standby. */
  readonly standbyState?: () => StandbyState | undefined
  readonly keys: TokenKeys
  readonly lifetime: TokenLifetime
  /** The replay cache; `undefined` when an assertion can be used until it expires. */
  readonly assertions: Pick<ReplayCache, 'spend'> | undefined
  /** The last time when the store lost commits, and with them used assertions. In the future, all count as used. */
  readonly storeWentBackAt?: () => Date | undefined
  readonly verifyFederated: VerifyFederated
  readonly throttle: FailedLoginRateLimit
  readonly trustedProxies: TrustedProxies
  /** The proxies whose field `Client-Cert` counts. */
  readonly clientCertProxies: TrustedProxies
  /** Adds a record to the audit buffer, without delay for the request. */
  readonly audit: (record: AuditRecord, lane: AuditLane) => void
  /** Adds the use of a credential to the audit buffer. */
  readonly noteUse: (credentialName: string, at: Date) => void
  /** False when the service has begun to stop. */
  readonly isReady: () => boolean
  /** False while the clock of the server is known to differ from another one. */
  readonly isClockAgreed: () => boolean
  /** Receives the result of each token request; undefined when nothing observes them. */
  readonly observeToken?: ObserveToken | undefined
  /** Runs a request and observes its answer; undefined when nothing observes them. */
  readonly observeRequest?: RequestObserver | undefined
  readonly log: Log
  readonly source: Pick<Runtime, 'now' | 'newGuid'>
  /** Random bytes for values that are not secret: opaque claims, and the exact lifetime of a token. */
  readonly randomBytes: (length: number) => Uint8Array
}
