export { errorAnswer, errorResponse } from './error-answer.ts'
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
export { runService } from './run-service.ts'
export {
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  originUrl,
  portOrOff,
  wholeNumber,
  workerCount,
} from './setting-schemas.ts'
export { readSettings, SettingsError } from './settings-reader.ts'
export type { WorkerLink } from './workers/worker-link.ts'
