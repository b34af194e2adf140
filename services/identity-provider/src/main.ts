import { pino } from 'pino'
import { startService } from './service.ts'
import { readSettings, type Settings, SettingsError } from './settings.ts'
import { visibleText } from './visible-text.ts'

/** What the failures to start that people meet mean, in one sentence each. */
const sentences: Readonly<
  Record<string, (settings: Settings, path: string, port: number | undefined) => string>
> = {
  EADDRINUSE: ({ HOST }, _, port) => `port ${port} at ${HOST} is taken by another program`,
  EACCES: ({ HOST }, path, port) =>
    path === ''
      ? `this user may not listen on port ${port} at ${HOST}`
      : `this user may not use ${path}`,
  EPERM: (_, path) => `this user may not use ${path}`,
  EADDRNOTAVAIL: ({ HOST }) => `${HOST} is not an address of this machine`,
  ENOTFOUND: ({ HOST }) => `no address is known for the host ${HOST}`,
  ENOENT: (_, path) => `there is no ${path}`,
  ENOTDIR: (_, path) => `a part of ${path} is no folder`,
  EISDIR: (_, path) => `${path} is a folder`,
  EROFS: (_, path) => `${path} is on a disk that cannot be written`,
  // What fails to be written has no path any more, only a number.
  ENOSPC: ({ DATA_DIR }, path) => `the disk of ${path || DATA_DIR} is full`,
}

/** Node names the port of an address that cannot be listened at. */
type ListenError = NodeJS.ErrnoException & { readonly port?: number }

function fail(text: string, exitCode: number): never {
  process.stderr.write(`${text.split('\n').map(visibleText).join('\n')}\n`)
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

const starterGone = 'the process that started this one is gone'

const settings = settingsOrExit()
const log = pino({
  level: settings.LOG_LEVEL,
  base: { service: 'identity-provider', pid: process.pid },
})
try {
  const service = await startService(settings, log)
  let isStopping = false
  const stop = (why: string) => {
    // Two reasons may come together; what the first began is finished.
    if (isStopping) return
    isStopping = true
    log.info({ why }, 'stopping')
    service.stop().then(
      () => process.exit(0),
      (cause) => {
        log.error({ err: cause }, 'not everything could be written')
        process.exit(1)
      },
    )
  }
  // Ctrl-C comes from the terminal and from npm: the second must not end the process at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
  // Who starts this process over an IPC channel wants it to end with itself, and the system closes the
  // channel however that process ends. Started in any other way there is none.
  process.once('disconnect', () => stop(starterGone))
  log.info({ url: service.url, httpsUrl: service.httpsUrl }, 'listening')
  // It may have gone before anybody listened for that.
  if (process.connected === false) stop(starterGone)
} catch (error) {
  const { code = '', message, path = '', port } = error as ListenError
  const sentence = sentences[code]?.(settings, path, port) ?? message.replace(/\.$/, '')
  // One line: a file of a stranger may be what it speaks of.
  fail(visibleText(`The identity provider cannot start: ${sentence}.`), 1)
}
