import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type ProcessContext, runService } from '@greeting/http-service'
import { type Logger, pino } from 'pino'
import { type Service, startService } from '../src/startup/service.ts'
import { readSettings, type Settings, settingNames } from '../src/startup/settings.ts'
import { registrationsFile } from './provider-process.ts'
import { fixtureEnvironment } from './startup/fixture-environment.ts'

type Environment = Readonly<Record<string, string>>

const environmentWith = (environment: Environment) => ({
  PORT: '0',
  REGISTRATIONS: registrationsFile,
  LOG_LEVEL: 'silent',
  ...environment,
})

/** Starts an identity provider in this process, which costs less than a separate process. */
export const startHere = (
  settings: Environment,
  environment = fixtureEnvironment,
): Promise<Service> =>
  startService({
    settings: readSettings(environmentWith(settings)),
    log: pino({ level: 'silent' }),
    environment,
  })

class Exit extends Error {}

/** Runs the service as `main.ts` does, with a fake process; returns the exit code and the text on stderr. */
export async function failToStartHere(environment: Environment) {
  const ended = { code: 0, stderr: '' }
  const host = Object.assign(new EventEmitter(), {
    env: environmentWith(environment),
    argv: [],
    pid: 1,
    stderr: {
      write: (text: string) => {
        ended.stderr += text
      },
    },
    exit: (code: number) => {
      ended.code = code
      throw new Exit()
    },
  })
  const definition = {
    name: 'identity-provider',
    title: 'identity provider',
    settingNames,
    readSettings,
    start: (settings: Settings, log: Logger, context: ProcessContext) =>
      startService({ settings, log, ...context, environment: fixtureEnvironment }),
  }
  await assert.rejects(runService(host as unknown as NodeJS.Process, definition), Exit)
  return ended
}
