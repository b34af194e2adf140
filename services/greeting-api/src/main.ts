import { pino } from 'pino'
import { startService } from './service.ts'
import { readSettings, type Settings, SettingsError } from './settings.ts'

/** What the failures to start that people meet mean, in one sentence each. */
const sentences: Readonly<Record<string, (settings: Settings) => string>> = {
  EADDRINUSE: ({ HOST, PORT }) => `port ${PORT} at ${HOST} is taken by another program`,
  EACCES: ({ HOST, PORT }) => `this user may not listen on port ${PORT} at ${HOST}`,
  EADDRNOTAVAIL: ({ HOST }) => `${HOST} is not an address of this machine`,
  ENOTFOUND: ({ HOST }) => `no address is known for the host ${HOST}`,
}

function fail(sentence: string, exitCode: number): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(exitCode)
}

function settingsOrExit(): Settings {
  try {
    return readSettings(process.env)
  } catch (error) {
    if (error instanceof SettingsError) fail(error.message, 2)
    throw error
  }
}

const settings = settingsOrExit()
const log = pino({ level: settings.LOG_LEVEL, base: { service: 'greeting-api', pid: process.pid } })
try {
  const service = await startService(settings, log)
  const stop = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping')
    service.stop().then(() => process.exit(0))
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  log.info({ url: service.url }, 'listening')
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException
  fail(`The greeting API cannot start: ${sentences[code]?.(settings) ?? message}.`, 1)
}
