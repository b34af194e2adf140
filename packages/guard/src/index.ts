export type { RequestCredentials } from './bearer-credentials.ts'
export type { Caller } from './caller.ts'
export { type EntraOptions, entra } from './entra.ts'
export {
  type EntraFromEnvironmentOptions,
  type Environment,
  entraFromEnvironment,
} from './entra-from-environment.ts'
export {
  anyCaller,
  createGuard,
  type Decision,
  type Guard,
  type KeySetStatus,
  type RequiredRole,
} from './guard.ts'
export type { EventListener, GuardEvent, IssuerMismatch } from './guard-event.ts'
export {
  type GuardOptions,
  GuardOptionsError,
  type IssuerClaims,
  type IssuerOptions,
  type KeySetOptions,
} from './guard-options.ts'
export { KeySetError, type KeySetErrorCode } from './keys/key-set-error.ts'
export type { PublishedKeys } from './keys/local-key-source.ts'
export { type KeyFault, rsaKeyFault } from './keys/verification-key.ts'
export { type Refusal, type RefusalReason, refusalRows, withHeader } from './refusal.ts'
export {
  describeResource,
  type ProtectedResource,
  type ResourceMetadata,
} from './resource-metadata.ts'
export {
  type GuardedRoute,
  type RouteTable,
  RouteTableError,
} from './routes/route-table.ts'
export { UnguardedRoutesError } from './routes/unguarded-routes.ts'
export type { Runtime } from './runtime.ts'
