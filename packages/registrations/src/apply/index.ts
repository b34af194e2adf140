export type { Activity, OnProgress } from './activity.ts'
export { type Applied, type ApplyOptions, applyPlan, type RefusedChange } from './apply.ts'
export { defaultRequestsInFlight, type ReadOptions } from './directory-reader.ts'
export {
  type FoundApplication,
  findApplications,
  similarApplications,
} from './find-applications.ts'
export {
  type Graph,
  type GraphAnswer,
  type GraphRequest,
  parseAnswer,
} from './graph.ts'
export { GraphRefusalError, type RequestLine } from './graph-refusal-error.ts'
export { inParallel } from './in-parallel.ts'
export {
  namesOf,
  readDirectory,
  readExplained,
  readWholeDirectory,
  withHolders,
} from './read-directory.ts'
export type { NewSecret, SecretName, SecretSink } from './secret-sink.ts'
export { waitUntilVisible } from './wait-until-visible.ts'
