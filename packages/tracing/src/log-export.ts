export type LogExportOptions = {
  /** The URL for log records at a collector for OTLP over HTTP, such as `http://127.0.0.1:4318/v1/logs`. */
  readonly url: string
  /** Header fields for the collector, such as its credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** An event for the log store of a collector. Its values contain no token, no key and no secret. */
export type LogEvent = {
  readonly at: Date
  readonly name: string
  /** Whether its severity is WARN instead of INFO. */
  readonly isWarning: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Sends events to a collector. */
export type LogSender = {
  /**
   * Sends one request.
   *
   * @returns how many events the collector rejected for good
   * @throws {LogExportError} log_export when it may accept the same request later
   */
  readonly send: (events: readonly LogEvent[]) => Promise<{ readonly rejected: number }>
  /** Ends the request that is running. */
  readonly close: () => void
}

/** The error when a collector does not accept events now. */
export class LogExportError extends Error {
  readonly code = 'log_export'
  override readonly name = 'LogExportError'
  /** The delay that the collector demands. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, retryAfterMs: number | undefined) {
    super(`The collector answered ${status}`)
    this.retryAfterMs = retryAfterMs
  }
}
