import type { Authority } from '../dialect/authority.ts'
import type { TokenLifetime } from '../dialect/token/token-times.ts'
import type { Runtime } from '../directory/runtime.ts'
import type { AssertionTimes } from '../issuance/assertion.ts'
import type { VerifyFederated } from '../issuance/federated-authentication.ts'
import type { PublishedKey } from '../signing/published-key.ts'
import type { KeyMembers } from '../signing/token-signer.ts'
import type { AuditRecord } from '../storage/audit-record.ts'
import type { AuditLane } from '../storage/audit-trail.ts'
import type { DirectoryStore } from '../storage/directory-store.ts'
import type { ReplayCache } from '../storage/replay-cache.ts'
import type { FailedLoginRateLimit } from './failed-login-rate-limit.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** The keys of the server, as far as issuing goes. */
export type TokenKeys = {
  readonly sign: (claims: object, keyMembers: KeyMembers) => Promise<string>
  readonly published: () => readonly PublishedKey[]
}

/** The words of the operator; pino's logger is one. */
export type Log = Record<
  'debug' | 'info' | 'warn' | 'error',
  (fields: object, text: string) => void
>

/** Everything that the routes of the token service need. */
export type ServiceOptions = {
  readonly authority: Authority
  readonly directory: Pick<DirectoryStore, 'read'> & Partial<Pick<DirectoryStore, 'lastKnown'>>
  readonly keys: TokenKeys
  readonly lifetime: TokenLifetime
  readonly assertionTimes: AssertionTimes
  /** Where used assertions are remembered; undefined where they may be used until they expire. */
  readonly assertions: ReplayCache | undefined
  /** When the store last went back, and forgot assertions that were used; undefined when it never did. */
  readonly storeWentBackAt?: () => Date | undefined
  readonly verifyFederated: VerifyFederated
  readonly throttle: FailedLoginRateLimit
  readonly trustedProxies: TrustedProxies
  /** Takes what happened, to be written soon; never makes a request wait. */
  readonly audit: (record: AuditRecord, lane: AuditLane) => void
  /** Takes the use of a credential, to be written soon. */
  readonly noteUse: (credentialName: string, at: Date) => void
  /** False as soon as the server is about to stop. */
  readonly isReady: () => boolean
  readonly log: Log
  readonly source: Pick<Runtime, 'now' | 'newGuid'>
  /** For what is no secret: the opaque claims, the exact lifetime of a token. */
  readonly randomBytes: (length: number) => Uint8Array
}
