export type { ApiAnswer } from './call/api-answer.ts'
export type { ReadAnswer } from './call/api-call.ts'
export {
  type ApiClient,
  type ApiClientOptions,
  type ApiRequest,
  createApiClient,
  type PendingAnswer,
} from './call/api-client.ts'
export {
  type CallInit,
  type FetchWithToken,
  type FetchWithTokenOptions,
  fetchWithToken,
} from './call/fetch-with-token.ts'
export { type AgentIdentityOptions, agentIdentity } from './credentials/agent-identity.ts'
export {
  type ClientCertificateOptions,
  clientCertificate,
} from './credentials/client-certificate.ts'
export {
  type AuthenticationContext,
  type ClientAuthentication,
  type Credential,
  clientSecret,
  clientSecrets,
  type IssuedToken,
  type OtherTokenRequest,
} from './credentials/credential.ts'
export {
  type FederatedAssertionOptions,
  federatedAssertion,
} from './credentials/federated-assertion.ts'
export { type PrivateKeyJwtOptions, privateKeyJwt } from './credentials/private-key-jwt.ts'
export {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type ClientFailure,
  isClientFailure,
  type ServerErrorDetails,
} from './errors.ts'
export {
  type CallOptions,
  createGreetingClient,
  type GreetingClient,
  type GreetingClientOptions,
  greetings,
} from './greeting-client.ts'
export type { ClientEvent, OnEvent, SpanAttributes, SpanStart, Trace } from './hooks.ts'
export { type NetworkFault, type NetworkFaultName, networkFault } from './network-fault.ts'
export type { Runtime } from './runtime.ts'
export type { TokenCache } from './token/token-cache.ts'
export { createTokenSource, type TokenOptions, type TokenSource } from './token/token-source.ts'
export type { TokenSourceOptions } from './token/token-source-options.ts'
