export { type Endpoint, endpoints } from './faults/endpoint.ts'
export type { FaultName } from './faults/fault-rows.ts'
export {
  type FaultScope,
  type FaultSpec,
  FaultSpecError,
  runHeader,
} from './faults/fault-spec.ts'
export { type ArmedFault, type Faults, FaultsNotAppliedError } from './faults/faults.ts'
export { MintError, type MintRequest } from './forge/forge.ts'
export type { ForgeryName } from './forge/forgeries.ts'
export type { Forgery } from './forge/forgery.ts'
export type { Lab, LabOptions } from './lab.ts'
export type { ClockState, Duration, LabClock } from './lab-clock.ts'
export type { FederatedTokenRequest, LabFederation } from './lab-federation.ts'
export type { LabKey, LabKeys } from './lab-keys.ts'
export type { ClientMisuse, MisuseRule } from './requests/judge.ts'
export type { CredentialPlace, LabRequest } from './requests/lab-request.ts'
export { NoRequestError, type RequestFilter, type RequestLog } from './requests/request-log.ts'
