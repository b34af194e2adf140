import type {
  Authenticate,
  ManagementCaller,
} from '@greeting/identity-provider/parts/management/privileges/caller'

/** The environment of a request of the portal: its caller, which no request of the network can set. */
export type PortalCaller = { readonly portalCaller: ManagementCaller }

/** Takes the caller of a request of the portal from its environment. */
export const portalCallerOf: Authenticate = async (_request, environment) =>
  (environment as PortalCaller).portalCaller
