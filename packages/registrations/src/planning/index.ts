export { adoptionLine, isHeldByOthers } from './adoption.ts'
export type { CertificateToAdd, Change } from './change.ts'
export {
  application,
  appRoleAssignment,
  type DirectoryState,
  servicePrincipal,
} from './directory-state.ts'
export { explain } from './explain.ts'
export {
  answerText,
  carriedRoles,
  type Explanation,
  isComplete,
  missingSteps,
  missingText,
  type StepResult,
  sizeText,
} from './explanation.ts'
export { explanationText } from './explanation-text.ts'
export { exportRegistrations } from './export.ts'
export { type Located, locateById } from './locate.ts'
export { type Plan, type PlanInput, planRegistrations } from './plan.ts'
export { day } from './plan-secrets.ts'
export { diffOf, type PaintLine, planText } from './plan-text.ts'
export { type RegistrationStep, registrationSteps } from './registration-step.ts'
export {
  estimateTokenBytes,
  passesLimit,
  tokenSizeFault,
  tokenSizeRemedy,
} from './token-size.ts'
