import { exitCodes } from '../exit-codes.ts'
import type { Outcome } from '../job.ts'
import { describeFailure, type Paint } from '../terminal.ts'
import { durationText } from '../text/duration.ts'
import { wholeSeconds } from '../text/time.ts'
import type { Run } from './job-loop.ts'

/** One run as a line of JSON. */
export function runJson(title: string, run: Run<Outcome>): string {
  const { number, startEpochMs, durationMs, result, skipped } = run
  const begin = {
    time: new Date(startEpochMs).toISOString(),
    job: title,
    run: number,
    durationMs,
    skipped,
  }
  if ('outcome' in result)
    return JSON.stringify({ ...begin, outcome: 'ok', ...result.outcome.json })
  const { exit, json } = describeFailure(result.error)
  return JSON.stringify({ ...begin, outcome: exit, exitCode: exitCodes[exit].code, error: json })
}

/** One run as a line of text: time, job, outcome, duration and result. */
export function runText(title: string, run: Run<Outcome>, paint: Paint): string {
  const { startEpochMs, durationMs, result, skipped } = run
  const time = wholeSeconds(new Date(startEpochMs).toISOString())
  const late = skipped > 0 ? ` (${skipped} runs skipped)` : ''
  if ('outcome' in result) {
    const [first = ''] = result.outcome.text.split('\n')
    return `${time}  ${title}  ${paint('green', 'ok')}  ${durationText(durationMs)}  ${first}${late}`
  }
  const { exit, message } = describeFailure(result.error)
  const how = paint('red', exitCodes[exit].short)
  return `${time}  ${title}  ${how}  ${durationText(durationMs)}  ${message}${late}`
}
