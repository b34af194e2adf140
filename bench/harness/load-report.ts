/** What a load generator saw in one measurement. */
export type LoadReport = {
  readonly requests: number
  readonly seconds: number
  readonly p99Ms: number
  /** How often it came to the end of its tokens and began again. */
  readonly turns: number
  /** Answers that were no success, and requests without an answer, by kind. */
  readonly failures: Readonly<Record<string, number>>
}

/**
 * Finds the report in what a load generator printed: its last line of JSON.
 *
 * @throws {Error} when there is none
 */
export function readLoadReport(printed: string): LoadReport {
  const line = printed.split('\n').findLast((line) => line.startsWith('{'))
  if (line === undefined) throw new Error(`the load generator reported nothing: ${printed.trim()}`)
  return JSON.parse(line)
}

/**
 * Why a measurement does not count, or nothing when it does.
 *
 * @param tokensMustDiffer whether no token may have been sent twice
 */
export function faultsOf(report: LoadReport, tokensMustDiffer: boolean): string[] {
  const faults = Object.entries(report.failures)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} of ${report.requests} requests failed (${kind})`)
  if (report.requests <= 0) faults.push('no request was answered')
  if (report.seconds <= 0) faults.push('its clock does not hold all the time that it was held')
  if (tokensMustDiffer && report.turns > 0) faults.push('the tokens ran out and were sent again')
  return faults
}
