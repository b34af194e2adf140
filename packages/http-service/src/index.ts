// Folder: What both services do alike: settings, listeners and stopping.

export { type ErrorAnswer, errorAnswer, errorResponse } from './error-answer.ts'
export type { StopOptions } from './listener/drain.ts'
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
} from './listener/listener.ts'
export { metricsFetch, openMetricsListener } from './listener/metrics-listener.ts'
export { lookFiles } from './look-files.ts'
export {
  type Listening,
  type ProcessContext,
  runService,
  type ServiceHost,
} from './process/run-service.ts'
export {
  BodyCutError,
  BodyTooLargeError,
  boundaryOf,
  type FormPairs,
  percentDecode,
  readBody,
  readPairs,
  readParts,
} from './request-body.ts'
export { headerOf, repeatedHeader, type ServerEnv } from './request-header.ts'
export {
  type ObserveRequest,
  observeRequests,
  type RequestObserver,
} from './request-observer.ts'
export {
  expected,
  hostName,
  keepAliveSeconds,
  logLevel,
  logsEndpoint,
  metricsSettings,
  originUrl,
  portOrOff,
  reusePort,
  setting,
  stopDelaySeconds,
  tracingSecretNames,
  tracingSettings,
  wholeNumber,
} from './settings/setting-schemas.ts'
export { SettingsError, settingsOf } from './settings/settings-reader.ts'
export { entryList, proxyList, TrustedProxies } from './settings/trusted-proxies.ts'
export { type StaticFile, StaticFiles } from './static-files.ts'
export { visibleText } from './visible-text.ts'
