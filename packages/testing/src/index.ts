export {
  assertRefusesForgeries,
  type FetchYourApi,
  ForgeriesAcceptedError,
  type ForgeryResult,
  GenuineTokenRefusedError,
  tryForgeries,
} from './assert-refuses-forgeries.ts'
export { Entra } from './entra.ts'
export type { EntraApi } from './entra-api.ts'
export type { EntraAgent, EntraClient } from './entra-client.ts'
export { type TokenAnswer, TokenRequestError } from './entra-client.ts'
export { type Graph, GraphRequestError } from './graph.ts'
export type {
  AgentRegistration,
  ApiRegistration,
  ApiRegistrations,
  BlueprintRegistration,
  BlueprintRegistrations,
  ClientRegistration,
  ClientRegistrations,
  Registrations,
} from './registrations.ts'
export { type EntraOptions, hookEntra, startEntra, type TestHooks } from './start-entra.ts'
