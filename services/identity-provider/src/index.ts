export type { IdentityProviderOptions } from './startup/identity-provider-options.ts'
export {
  type IdentityProvider,
  IdentityProviderOptionsError,
  startIdentityProvider,
} from './startup/start-identity-provider.ts'
