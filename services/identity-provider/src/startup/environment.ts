import { uptime } from 'node:os'
import { type Runtime, systemRuntime } from '@greeting/directory'
import { openStorage, type Storage, type StorageOptions } from '@greeting/directory/storage'
import type { LabControls } from '../lab/lab-controls.ts'
import { generateSigningKey } from '../signing/signing-key-generation.ts'

/** The parts that a server uses besides its settings. The lab and tests replace some of them. */
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
  readonly lab?: LabControls
}

/** The system: its clock, its random generator and its disk. */
export const systemEnvironment: ServiceEnvironment = {
  runtime: systemRuntime,
  elapsedMs: () => uptime() * 1000,
  openStorage,
  generateKey: generateSigningKey,
  testKeys: 'refused',
}
