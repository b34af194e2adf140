export type {
  Administrator,
  FaultKind,
  FaultParameter,
  PortalHost,
  SignInAttempt,
  SignInFault,
  TokenPreview,
} from './host/portal-host.ts'
export { claimSentences } from './layout/token-parts.ts'
export { createPortal, portalActions } from './portal-app.ts'
