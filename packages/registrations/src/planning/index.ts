export { type Policy, policyKinds, untouchedPolicy } from '../policy-entries.ts'
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
export { type Plan, type PlanInput, planRegistrations, refusedInNewTenant } from './plan.ts'
export { diffOf, type PaintLine, planText } from './plan-text.ts'
export { policyInForce, type SecretLimit, secretLimit, secretLimitText } from './policy-faults.ts'
export {
  type CertificateToAdd,
  type Change,
  type RegistrationStep,
  registrationSteps,
} from './steps/change.ts'
export { day } from './steps/plan-credentials.ts'
export { assignedPolicies, filePolicies, isDefault, rulesText } from './steps/plan-policies.ts'
