import { DatabaseSync } from 'node:sqlite'
import type { NewSigningKey } from '@greeting/directory/keys'
import {
  type Storage,
  type StorageOptions,
  sqliteDatabase,
  sqlStorage,
} from '@greeting/directory/storage'
import { type Lab, type LabOptions, supplyTestKeys } from '@greeting/lab'
import { openLab } from '../lab/lab-controls.ts'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { thumbprintOf } from '../signing/signing-key.ts'
import { generateSigningKey } from '../signing/signing-key-generation.ts'
import { systemEnvironment } from './environment.ts'
import type { IdentityProviderOptions } from './identity-provider-options.ts'
import {
  type IdentityProvider,
  IdentityProviderOptionsError,
  startInProcess,
} from './start-identity-provider.ts'

const name = ':memory:'

/** A store with empty tables. The migrations take 20 ms, and a test process starts many servers. */
let emptyStore: Uint8Array | undefined

/** Storage in memory, which can be brought back to a state: the same tables and queries as on a disk. */
class MemoryStorage {
  #connection: DatabaseSync | undefined
  #snapshot: Uint8Array | undefined

  /** Opens the storage: empty at first, and later with the content of the snapshot. */
  open = async ({
    limits,
    countedTenants,
  }: Pick<StorageOptions, 'limits' | 'countedTenants'>): Promise<Storage> => {
    const connection = new DatabaseSync(name)
    this.#connection = connection
    const database = sqliteDatabase(connection, name)
    const content = this.#snapshot ?? emptyStore
    if (content !== undefined) connection.deserialize(content)
    else {
      await database.migrate()
      emptyStore = connection.serialize()
    }
    return sqlStorage(database, limits, undefined, countedTenants)
  }

  /** Keeps the current content for the next opening. */
  takeSnapshot(): void {
    this.#snapshot = this.#connection?.serialize()
  }
}

/** Supplies the public test keys one by one, and then generates further keys. */
export class TestKeySupply {
  #used = 0

  /** The number of keys that were supplied. */
  get used(): number {
    return this.#used
  }

  /** Continues after this number of keys. */
  rewind(used: number): void {
    this.#used = used
  }

  next = async (keyEncryptionKey: KeyEncryptionKey, now: Date): Promise<NewSigningKey> => {
    const key = supplyTestKeys[this.#used]
    this.#used += 1
    if (key === undefined) return generateSigningKey(keyEncryptionKey, now)
    const { certificate, privateKey } = key
    const kid = thumbprintOf(Buffer.from(certificate, 'base64'))
    const sealedPrivateKey = keyEncryptionKey.seal(Buffer.from(privateKey, 'base64'), kid)
    return { kid, certificate, sealedPrivateKey }
  }
}

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
