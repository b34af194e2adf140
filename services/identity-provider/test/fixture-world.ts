import { type ServiceWorld, systemWorld } from '../src/service-world.ts'
import { openLocalStorage } from './fakes/local-storage.ts'
import { fixtureSigningKey } from './signing/fixture-signing-key.ts'

/** The system with signing keys of the fixtures, because new keys are slow, and without threads for the store. */
export const fixtureWorld: ServiceWorld = {
  ...systemWorld,
  generateKey: fixtureSigningKey,
  openStorage: openLocalStorage,
}
