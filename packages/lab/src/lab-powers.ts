import type { Faults } from './faults/faults.ts'
import type { ForgeryName } from './forge/forgeries.ts'
import type { Forgery } from './forge/forgery.ts'
import type { LabClock } from './lab-clock.ts'
import type { LabFederation } from './lab-federation.ts'
import type { LabKeys } from './lab-keys.ts'
import type { MintRequest } from './mint-request.ts'
import type { ClientMisuse } from './requests/judge.ts'
import type { RequestLog } from './requests/request-log.ts'

/** The powers of a lab, in process and over HTTP. */
export type LabPowers = {
  readonly clock: LabClock
  readonly faults: Faults
  readonly requests: RequestLog
  /** The signing keys of the server. */
  readonly keys: LabKeys
  /** An issuer whose tokens federated identity credentials may trust. */
  readonly federation: Pick<LabFederation, 'issuer' | 'token'>
  /**
   * Makes a token with any content. By default, it is the one that the server would issue.
   *
   * @throws {MintError} mint_invalid when the API or the client does not exist
   */
  readonly mint: (request: MintRequest) => Promise<string>
  /**
   * Makes hostile tokens for an API, each of which it must refuse, and a genuine one.
   *
   * @throws {MintError} mint_invalid when the API does not exist
   */
  readonly forgeries: (
    request: MintRequest,
  ) => Promise<{ readonly genuine: string; readonly forgeries: readonly Forgery<ForgeryName>[] }>
  /**
   * Ends all secrets of a client now.
   *
   * @throws {MintError} mint_invalid when the client does not exist
   */
  readonly expireSecrets: (applicationId: string) => Promise<void>
  /** What clients did wrong, by the recorded requests. */
  readonly judge: () => readonly ClientMisuse[]
  /** Removes the faults and the requests, ends their pauses, and brings back the clock of the system. */
  readonly reset: () => void
}
