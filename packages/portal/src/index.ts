export { createPortal, portalActions } from './portal-app.ts'
export type {
  Administrator,
  FaultKind,
  FaultParameter,
  PortalHost,
  SignInAttempt,
  SignInFault,
  TokenPreview,
} from './portal-host.ts'
