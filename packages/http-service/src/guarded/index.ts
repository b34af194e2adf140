// Folder: What services behind a guard do alike: its settings, its log and its metrics.

export { annotateDecision, logGuardEvents } from './guard-log.ts'
export type { Metrics } from './guard-metrics.ts'
export { checkSettings, guardOptions, issuerSettings } from './guard-settings.ts'
