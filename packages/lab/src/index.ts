export { type Endpoint, endpoints } from './faults/fault-context.ts'
export type { FaultName } from './faults/fault-rows.ts'
export { faultKinds } from './faults/fault-rows.ts'
export {
  type FaultScope,
  type FaultSpec,
  FaultSpecError,
  runHeader,
} from './faults/fault-spec.ts'
export { type ArmedFault, type Faults, FaultsNotAppliedError } from './faults/faults.ts'
export { signed } from './forge/forge.ts'
export type { ForgeryName } from './forge/forgeries.ts'
export type { Forgery } from './forge/forgery.ts'
export type { LabKeys } from './lab.ts'
export { Lab, type LabOptions } from './lab.ts'
export type { ClockState, Duration, LabClock } from './lab-clock.ts'
export type { FederatedTokenRequest, LabFederation } from './lab-federation.ts'
export type { LabHost, LabKey, LabListener, LabRefusal } from './lab-host.ts'
export { MintError, type MintRequest, type TokenParts } from './lab-host.ts'
export { type LabOperation, labOperations, labPath } from './lab-operations.ts'
export type { ClientMisuse, MisuseRule } from './requests/judge.ts'
export type { CredentialPlace, LabRequest } from './requests/request-log.ts'
export { NoRequestError, type RequestFilter, type RequestLog } from './requests/request-log.ts'
export { supplyTestKeys, testKeys } from './test-keys.ts'
