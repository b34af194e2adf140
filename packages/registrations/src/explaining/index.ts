export { explain } from './explain.ts'
export {
  answerText,
  carriedRoles,
  type Explanation,
  explanationText,
  isComplete,
  missingSteps,
  missingText,
  type RegistrationStep,
  type RoleState,
  registrationSteps,
  type StepResult,
  sizeText,
} from './explanation.ts'
