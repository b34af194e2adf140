import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import { type ServiceEnvironment, systemEnvironment } from '../../src/startup/environment.ts'
import { fixtureSigningKey } from '../signing/fixture-signing-key.ts'

const hourMs = 3_600_000

/**
 * The system environment with signing keys of the fixtures, because new keys are slow, and without
 * threads for the store.
 */
export const fixtureEnvironment: ServiceEnvironment = {
  ...systemEnvironment,
  // One certificate for an hour: another time would need another one.
  generateKey: (keyEncryptionKey, now) =>
    fixtureSigningKey(keyEncryptionKey, new Date(Math.floor(now.getTime() / hourMs) * hourMs)),
  openStorage: openLocalStorage,
}
