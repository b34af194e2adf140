export type { ReadAnswer } from './api-call.ts'
export { type ClientCertificateOptions, clientCertificate } from './client-certificate.ts'
export {
  type Credential,
  clientSecret,
  clientSecrets,
  type Proof,
  type ProofContext,
} from './credential.ts'
export {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type ClientFailure,
  isClientFailure,
  type ServerWords,
} from './errors.ts'
export type { ClientEvent, OnEvent } from './events.ts'
export { federatedAssertion } from './federated-assertion.ts'
export {
  type CallInit,
  type FetchWithToken,
  type FetchWithTokenOptions,
  fetchWithToken,
} from './fetch-with-token.ts'
export {
  type CallOptions,
  createGreetingClient,
  type GreetingClient,
  type GreetingClientOptions,
} from './greeting-client.ts'
export type { Runtime } from './runtime.ts'
export type { TokenCache } from './token-cache.ts'
export { createTokenSource, type TokenOptions, type TokenSource } from './token-source.ts'
export type { TokenSourceOptions } from './token-source-options.ts'
export type { SpanAttributes, SpanStart, Trace } from './trace.ts'
