import { type ServiceWorld, systemWorld } from '../src/service-world.ts'
import { fixtureSigningKey } from './signing/fixture-signing-key.ts'

/** The system with signing keys of the fixtures, because new keys are slow. */
export const fixtureWorld: ServiceWorld = { ...systemWorld, generateKey: fixtureSigningKey }
