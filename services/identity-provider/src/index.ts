export {
  type IdentityProvider,
  type IdentityProviderOptions,
  IdentityProviderOptionsError,
  startIdentityProvider,
} from './startup/start-identity-provider.ts'
