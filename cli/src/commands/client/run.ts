import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import {
  connect,
  type Job,
  type Outcome,
  type TakeJob,
  withCurrentRoles,
} from '../../client/connection.ts'
import { startJobTracing } from '../../client/job-tracing.ts'
import { CommandFailure, exitCodes } from '../../exit-codes.ts'
import { describeFailure, type Paint, type Terminal } from '../../terminal.ts'
import { durationMs, durationText, wholeSeconds } from '../../text/time.ts'
import { type ClientCommandOptions, clientCommand, settingsOf } from './client-command.ts'
import { byCron, everyMs, loopJob, type Run } from './job-loop.ts'

type Options = ClientCommandOptions & {
  readonly every?: number
  readonly cron?: string
  readonly timeZone?: string
  readonly jitter?: number
  readonly failAfter?: number
}

/** Adds the commands that can be repeated. */
type AddJobs = (program: Command, take: TakeJob) => readonly Command[]

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('The count must be a whole number from 1')
  return Number(text)
}

function interval(text: string): number {
  const ms = durationMs(text)
  if (ms < 1) throw new InvalidArgumentError('The interval must be greater than zero')
  return ms
}

/** The job that the words after `--` describe. */
async function jobOf(words: readonly string[], terminal: Terminal, addJobs: AddJobs): Promise<Job> {
  let job: Job | undefined
  const program = new Command('greeting run ... --')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .exitOverride()
  addJobs(program, async (named) => {
    job = named
  })
  await program.parseAsync(words, { from: 'user' })
  if (job === undefined) throw new CommandFailure('bad_usage', 'The job is missing')
  return job
}

function scheduleOf({ every, cron, timeZone }: Options) {
  if (every !== undefined && cron === undefined && timeZone === undefined)
    return everyMs(every, Date.now())
  if (cron === undefined || every !== undefined)
    throw new CommandFailure('bad_usage', 'Use either --every or --cron. --time-zone needs --cron.')
  return byCron(cron, timeZone)
}

/** `greeting run`: runs a scheduled job in the foreground. */
export function addRunCommand(program: Command, terminal: Terminal, addJobs: AddJobs): Command {
  return clientCommand(program.command('run'))
    .description('run a job by a schedule, in the foreground: a greeting or call')
    .usage('[options] -- <job> [options of the job]')
    .argument('<job...>', 'the job and its options, after --')
    .option(
      '--every <duration>',
      'run now, and then with this interval, such as 30s, 5m or 1h30m',
      interval,
    )
    .option('--cron <expression>', 'run at the times of a cron expression, such as "*/5 * * * *"')
    .option('--time-zone <name>', "time zone of the cron expression (default: the machine's)")
    .option(
      '--jitter <duration>',
      'maximum random delay of each run (default: a tenth of the interval, at most 30s)',
      durationMs,
    )
    .option(
      '--fail-after <n>',
      'exit after this number of consecutive failures, with the exit code of the last one',
      count,
    )
    .action(async (words: string[], options: Options) => {
      const job = await jobOf(words, terminal, addJobs)
      const schedule = scheduleOf(options)
      const settings = await settingsOf(terminal, options)
      const tracing = await startJobTracing(terminal.environment)
      const connection = connect(settings, {
        deadlineMs: options.deadline,
        ...tracing.clientOptions,
      })
      const error = await loopJob({
        schedule,
        jitterMs: options.jitter,
        failAfter: options.failAfter,
        stop: terminal.stop,
        // The job does not get the stop signal, so that the current run completes.
        perform: () =>
          tracing.run(job.title, () => withCurrentRoles(connection, () => job.perform(connection))),
        onRun: (run) => {
          const line = options.json
            ? runJson(job.title, run)
            : runText(job.title, run, terminal.paint)
          terminal.out(`${line}\n`)
        },
        onNext: (epochMs) => {
          if (terminal.isInteractive) terminal.err(`next at ${new Date(epochMs).toISOString()}\n`)
        },
        clock: {
          epochMs: Date.now,
          random: Math.random,
          sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
        },
      })
      await tracing.stop()
      if (error !== undefined) throw error
    })
}

function runJson(title: string, run: Run<Outcome>): string {
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
function runText(title: string, run: Run<Outcome>, paint: Paint): string {
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
