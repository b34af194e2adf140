export {
  type Applied,
  type ApplyOptions,
  applyPlan,
  type RefusedChange,
  waitUntilVisible,
} from './apply.ts'
export type { NewSecret, SecretName, SecretSink } from './apply-context.ts'
export {
  type Activity,
  DirectoryReader,
  defaultRequestsInFlight,
  type OnProgress,
  type ReadOptions,
} from './directory-reader.ts'
export {
  type FoundApplication,
  findApplications,
  similarApplications,
} from './find-applications.ts'
export {
  type Graph,
  type GraphAnswer,
  GraphRefusalError,
  type GraphRequest,
  parseAnswer,
  type RequestLine,
} from './graph.ts'
export { inParallel } from './in-parallel.ts'
export { namesOf } from './names.ts'
export {
  readDirectory,
  readExplained,
  readWholeDirectory,
  withHolders,
} from './read-directory.ts'
