export {
  type ComparedName,
  comparedBody,
  comparedProperties,
  comparedRead,
  comparedValue,
  valuesOf,
} from '../compared-properties.ts'
export { adoptionLine, isHeldByOthers } from './adoption.ts'
export {
  application,
  appRoleAssignment,
  type DirectoryState,
  inheritablePermission,
  isBlueprint,
  servicePrincipal,
} from './directory/directory-state.ts'
export { type Located, locateById } from './directory/locate.ts'
export { explain } from './explain.ts'
export {
  answerText,
  carriedRoles,
  type Explanation,
  estimateTokenBytes,
  explanationText,
  isComplete,
  missingSteps,
  missingText,
  passesLimit,
  type RoleState,
  type StepResult,
  sizeText,
  tokenSizeFault,
  tokenSizeRemedy,
} from './explanation.ts'
export { exportRegistrations } from './export.ts'
export { type Plan, type PlanInput, planRegistrations } from './plan.ts'
export { diffOf, type PaintLine, planText } from './plan-text.ts'
export {
  type CertificateToAdd,
  type Change,
  type RegistrationStep,
  registrationSteps,
} from './steps/change.ts'
export { day } from './steps/plan-credentials.ts'
