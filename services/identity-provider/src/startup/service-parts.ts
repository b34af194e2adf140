import type { AuditBuffer } from '@greeting/directory/audit'
import type { AgreedClock } from '@greeting/directory/clock'
import type { DirectoryStore, StandbyReads, StoreReversals } from '@greeting/directory/live'
import type { RegionalAssertions, StandbyStorage, Storage } from '@greeting/directory/storage'
import type { Tracing } from '@greeting/tracing'
import type { Logger } from 'pino'
import type { FederatedIssuers } from '../issuance/federation/federated-issuers.ts'
import type { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import type { SigningKeys } from '../signing/signing-keys.ts'
import type { AuditExport } from '../telemetry/audit-export/audit-export.ts'
import type { Metrics } from '../telemetry/metrics/metrics.ts'
import type { ServiceEnvironment } from './environment.ts'
import type { OpenListeners } from './listeners.ts'
import type { Settings } from './settings.ts'

/** The parts that are open before the service is composed. */
export type OpenedParts = {
  readonly settings: Settings
  readonly log: Logger
  readonly tracing: Tracing | undefined
  /** Undefined when there is no listener for metrics. */
  readonly metrics: Metrics | undefined
  readonly listeners: OpenListeners
  readonly storage: Storage
  /** A standby of the storage; undefined when the settings name none. */
  readonly standby: StandbyStorage | undefined
  /** The used assertions of the region; undefined when the storage has them. */
  readonly regionalAssertions: RegionalAssertions | undefined
  readonly environment: ServiceEnvironment
  /** Whether the storage may lack registrations and an administrator. */
  readonly isStart: boolean
  /** False when the service has begun to stop. */
  readonly isReady: () => boolean
}

/** The opened contents of the storage: the directory and the signing keys, with the time for checking them. */
export type OpenedStore = {
  readonly reversals: StoreReversals
  readonly directory: DirectoryStore
  /** What tokens are issued from: the directory, also while the store is unavailable. */
  readonly issued: Pick<DirectoryStore, 'read' | 'readLastKnown'>
  /** Undefined without a standby. */
  readonly standbyReads: StandbyReads | undefined
  readonly clock: AgreedClock
  readonly keys: SigningKeys
  readonly keyEncryptionKey: KeyEncryptionKey
}

/** Everything between the storage and the listeners. */
export type ServiceParts = OpenedParts &
  OpenedStore & {
    readonly auditBuffer: AuditBuffer
    /** Undefined when the settings name no other log store. */
    readonly auditExport: AuditExport | undefined
    readonly issuers: FederatedIssuers
  }
