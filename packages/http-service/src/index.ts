export { BodyCutError, BodyTooLargeError, readBody } from './bounded-body.ts'
export type { StopOptions } from './drain.ts'
export { errorAnswer, errorResponse } from './error-answer.ts'
export { percentDecode, readPairs } from './form-pairs.ts'
export {
  type Fetch,
  type Listen,
  type Listener,
  limits,
  listen,
  listenSecurely,
  type SecureListener,
  type SecureListenerOptions,
  type TlsIdentity,
} from './listener.ts'
export { metricsFetch, openMetricsListener } from './metrics-listener.ts'
export { headerOf, repeatedHeader, type ServerEnv } from './request-header.ts'
export {
  type ObserveRequest,
  observeRequests,
  type RequestObserver,
} from './request-observer.ts'
export { type ProcessContext, runService } from './run-service.ts'
export {
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  metricsSettings,
  originUrl,
  portOrOff,
  stopDelaySeconds,
  tracingSecretNames,
  tracingSettings,
  wholeNumber,
  workerCount,
} from './setting-schemas.ts'
export { readSettings, SettingsError } from './settings-reader.ts'
export { type StaticFile, StaticFiles } from './static-files.ts'
export { visibleText } from './visible-text.ts'
export type { WorkerLink } from './workers/worker-link.ts'
