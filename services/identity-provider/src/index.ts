export {
  type IdentityProvider,
  type IdentityProviderOptions,
  IdentityProviderOptionsError,
  startIdentityProvider,
} from './start-identity-provider.ts'
