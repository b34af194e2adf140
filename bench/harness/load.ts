import { join } from 'node:path'
import { outputOf } from './child-processes.ts'
import type { TokenPool } from './fixture.ts'

/** The requests of a load generator: a GET with one token after another, or a POST of one form. */
export type LoadRequest = {
  readonly url: string
  /** The tokens of the pool for this load, in turn. */
  readonly tokens?: TokenPool & { readonly first: number }
  /** Path of the file with the form body. */
  readonly form?: string
}

export type LoadSize = { readonly connections: number; readonly seconds: number }

/**
 * The command of a program that loads a server for some seconds and then prints its report as one
 * line of JSON.
 */
export type LoadGenerator = (request: LoadRequest, size: LoadSize) => string[]

/** The report of a load generator. */
export type LoadReport = {
  readonly requests: number
  readonly seconds: number
  /** Null without a connection. */
  readonly p99Ms: number | null
  /** Number of times that it reached the end of its tokens and started again. */
  readonly repeats: number
  /** Answers other than success and requests without an answer, by kind. */
  readonly failures: Readonly<Record<string, number>>
}

/** The result of one load. A sample with failures does not count. */
export type Sample = {
  readonly requestsPerSecond: number
  readonly p99Ms: number | null
  readonly failures: readonly string[]
}

// On a slow machine 64 requests can wait for several seconds.
const requestTimeoutSeconds = 30
// With its line break: an object inside the report may end a chunk of output.
const reportLine = /^\{.*\}\n/m
const script = (name: string): string => join(import.meta.dirname, '..', 'load', name)

/** The arguments of both load scripts. */
const scriptArguments = ({ tokens, form }: LoadRequest): string[] =>
  [tokens?.path ?? '-', tokens?.first ?? 0, tokens?.count ?? 0, form ?? '-'].map(String)

export const wrk: LoadGenerator = (request, { connections, seconds }) => [
  ...['wrk', '--latency', '--threads=1', `--timeout=${requestTimeoutSeconds}s`],
  ...[`--connections=${connections}`, `--duration=${seconds}s`, `--script=${script('wrk.lua')}`],
  ...[request.url, '--', ...scriptArguments(request)],
]

/** The generator from npm, for machines without wrk. It is slower, so it limits the fastest rows. */
export const autocannon: LoadGenerator = (request, { connections, seconds }) => [
  ...[process.execPath, script('autocannon.ts'), request.url],
  ...[connections, seconds, requestTimeoutSeconds].map(String),
  ...scriptArguments(request),
]

/** Sends no requests: openssl only signs. */
export const opensslSpeed: LoadGenerator = (_, { seconds }) => [
  ...[process.execPath, script('openssl-speed.ts'), String(seconds)],
]

/** The same with the processor time of openssl, which other programs on its core do not change. */
export const opensslSpeedByProcessor: LoadGenerator = (request, size) => [
  ...[...opensslSpeed(request, size), 'processor'],
]

/** The reasons why a measurement does not count. */
export function failuresIn(report: LoadReport, mustBeUnique: boolean): string[] {
  const failures = Object.entries(report.failures)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} of ${report.requests} requests failed (${kind})`)
  if (report.requests <= 0) failures.push('no request was answered')
  if (mustBeUnique && report.repeats > 0) failures.push('the tokens ran out and were sent again')
  return failures
}

/**
 * Runs a load generator on these cores and reads its report.
 *
 * @param mustBeUnique whether a token that is sent twice invalidates the measurement
 */
export async function measureLoad(
  command: readonly string[],
  cores: readonly number[],
  mustBeUnique: boolean,
): Promise<Sample> {
  const output = await outputOf(command, cores, reportLine)
  const report: LoadReport = JSON.parse(reportLine.exec(output)?.[0] ?? '')
  return {
    requestsPerSecond: report.requests / report.seconds,
    p99Ms: report.p99Ms,
    failures: failuresIn(report, mustBeUnique),
  }
}
