import { uptime } from 'node:os'
import type { Fetch, ServerEnv } from '@greeting/http-service'
import type { FaultKind } from '@greeting/portal'
import type { Hono } from 'hono'
import type { Authority } from '../dialect/authority.ts'
import type { TokenLifetime } from '../dialect/token/token-times.ts'
import { type Runtime, systemRuntime } from '../directory/runtime.ts'
import type { DirectoryStore } from '../directory-store/directory-store.ts'
import type { Authenticate } from '../management/privileges/caller.ts'
import type { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import type { KeyRingStore } from '../signing/key-ring-store.ts'
import { generateSigningKey } from '../signing/signing-key-generation.ts'
import type { SigningKeys } from '../signing/signing-keys.ts'
import { openStorage, type Storage, type StorageOptions } from '../storage/storage.ts'

/** What a server uses besides its settings. The lab and tests replace parts of it. */
export type ServiceEnvironment = {
  readonly runtime: Runtime
  /**
   * Time since the start of the machine in milliseconds, including its sleep, with which the clock is compared.
   * Undefined for a clock that a lab or a test moves on purpose.
   */
  readonly elapsedMs: (() => number) | undefined
  readonly openStorage: (options: StorageOptions) => Promise<Storage>
  readonly generateKey: typeof generateSigningKey
  /** Whether the server may sign with the public keys of `@greeting/testing`. */
  readonly testKeys: 'refused' | 'accepted'
  /** The lab of this server; absent in production. */
  readonly lab?: ServiceLab
}

/** The lab, as the service uses it. */
export type ServiceLab = {
  /** Receives the parts of the server, at the start and after each reset. */
  readonly connect: (parts: LabParts) => void
  /** Makes the handler of a listener, around the app. */
  readonly handlerOf: (app: Hono<ServerEnv>, authority: Authority) => Fetch
  /** Its operations for the portal, for the callers of another authentication. */
  readonly portalLab: (
    authority: Authority,
    authenticate: Authenticate,
  ) => { readonly operations: Hono; readonly faultKinds: readonly FaultKind[] }
  /** The issuer of the lab, which federated identity credentials may trust. */
  readonly federation: {
    readonly host: string
    readonly through: (fetch: FetchKeys) => FetchKeys
  }
}

/** Requests the documents of another issuer. */
export type FetchKeys = (url: string, init?: RequestInit) => Promise<Response>

/** The parts of a server with which its lab makes tokens. */
export type LabParts = {
  readonly directory: DirectoryStore
  readonly keys: SigningKeys
  readonly keyRing: KeyRingStore
  readonly keyEncryptionKey: KeyEncryptionKey
  readonly lifetime: TokenLifetime
  /** Whether the server accepts the public keys of `@greeting/testing`. */
  readonly testKeys: 'refused' | 'accepted'
  /** The URLs of the first listener. */
  readonly authority: Authority
}

/** The system: its clock, its random generator and its disk. */
export const systemEnvironment: ServiceEnvironment = {
  runtime: systemRuntime,
  elapsedMs: () => uptime() * 1000,
  openStorage,
  generateKey: generateSigningKey,
  testKeys: 'refused',
}
