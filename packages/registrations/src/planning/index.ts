export { adoptionLine, isHeldByOthers } from './adoption.ts'
export {
  application,
  appRoleAssignment,
  type DirectoryState,
  servicePrincipal,
} from './directory/directory-state.ts'
export { type Located, locateById } from './directory/locate.ts'
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
export { type Plan, type PlanInput, planRegistrations } from './plan.ts'
export { diffOf, type PaintLine, planText } from './plan-text.ts'
export type { CertificateToAdd, Change } from './steps/change.ts'
export { day } from './steps/plan-secrets.ts'
export { type RegistrationStep, registrationSteps } from './steps/registration-step.ts'
export {
  estimateTokenBytes,
  passesLimit,
  tokenSizeFault,
  tokenSizeRemedy,
} from './token-size.ts'
