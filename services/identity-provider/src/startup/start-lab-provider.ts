import type { Lab, LabOptions } from '@greeting/lab'
import { openLab } from '../lab/lab-controls.ts'
import { MemoryStorage } from '../lab/memory-storage.ts'
import { TestKeySupply } from '../lab/test-key-supply.ts'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { systemEnvironment } from './environment.ts'
import type { IdentityProviderOptions } from './identity-provider-options.ts'
import {
  type IdentityProvider,
  IdentityProviderOptionsError,
  startInProcess,
} from './start-identity-provider.ts'

const absentOptions = [
  'dataDir',
  'databaseUrl',
  'keyEncryptionKey',
  'lab',
  'labAnyAddress',
  'labClientSecret',
] as const

/** The options of a server for tests. It stores nothing, so it has no folder and no database. */
export type LabProviderOptions = Omit<
  IdentityProviderOptions,
  (typeof absentOptions)[number] | 'portal'
> & {
  /** `on` serves the portal. By default `off`. */
  readonly portal?: IdentityProviderOptions['portal']
  /**
   * `public`, the default, signs with keys whose private parts are public. They cost nothing, and the guard
   * refuses them by default. `generated` makes new keys at the start.
   */
  readonly signingKeys?: 'public' | 'generated'
  /** The clocks and the randomness of the lab. */
  readonly labOptions?: LabOptions
}

/** A running server for tests, with the lab that controls it. */
export type LabProvider = IdentityProvider & {
  readonly lab: Lab
  /** Brings back exactly the state after the start. Requests that are running may get an error. */
  readonly reset: () => Promise<void>
  /** Lets later resets bring back the current directory and keys, instead of those of the start. */
  readonly keepState: () => void
}

/**
 * Starts an identity provider for tests in this process, with storage in memory.
 *
 * @throws {IdentityProviderOptionsError} identity_provider_options lists every invalid option
 * @example
 * await using provider = await startLabProvider()
 * const { url } = provider
 */
export async function startLabProvider({
  signingKeys = 'public',
  labOptions,
  ...options
}: LabProviderOptions = {}): Promise<LabProvider> {
  const faults = absentOptions
    .filter((name) => name in options)
    .map((name) => `${name} is not an option, because a server for tests keeps nothing`)
  if (faults.length > 0) throw new IdentityProviderOptionsError(faults)
  const { lab, service, runtime } = openLab(labOptions)
  const storage = new MemoryStorage()
  const supply = new TestKeySupply()
  // The storage ends with the process, so no file needs to have this key.
  const inMemory = {
    portal: 'off' as const,
    ...options,
    keyEncryptionKey: KeyEncryptionKey.generate().toBase64(),
  }
  const { reopen, ...provider } = await startInProcess(inMemory, {
    ...systemEnvironment,
    runtime,
    elapsedMs: undefined,
    openStorage: storage.open,
    ...(signingKeys === 'public' && { generateKey: supply.next, testKeys: 'accepted' }),
    lab: service,
  })
  let keptKeys = 0
  const keepState = () => {
    storage.takeSnapshot()
    keptKeys = supply.used
  }
  keepState()
  const reset = async () => {
    lab.reset()
    supply.rewind(keptKeys)
    await reopen()
  }
  return { ...provider, lab, reset, keepState }
}
