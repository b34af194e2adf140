import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SettingsError } from '@greeting/http-service'
import { pino } from 'pino'
import type { ServiceEnvironment } from './environment.ts'
import type { IdentityProviderOptions } from './identity-provider-options.ts'
import { type Service, startService } from './service.ts'
import { readSettings, type Settings, settingNames } from './settings.ts'

/** A running identity provider. */
export type IdentityProvider = AsyncDisposable & {
  /** The origin of the HTTP listener, or of the HTTPS listener when HTTP is off. */
  readonly url: string
  readonly httpsUrl: string | undefined
  /** The origin of the listener for metrics; `undefined` when `metricsPort` is `off`. */
  readonly metricsUrl: string | undefined
  /** The folder with the administrator's settings, and those of the clients of a registrations file. */
  readonly dataDir: string
  /** Answers the running requests, and releases everything. */
  readonly stop: () => Promise<void>
}

/** The error for invalid options. The message lists every fault. */
export class IdentityProviderOptionsError extends TypeError {
  readonly code = 'identity_provider_options'
  override readonly name = 'IdentityProviderOptionsError'
  /** One sentence for each fault. It begins with the name of the option. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The options of the identity provider are invalid:\n${faults.join('\n')}`)
    this.faults = faults
  }
}

const isOfProcess = (setting: string) => setting === 'REUSE_PORT' || setting.startsWith('OTEL_')

export const optionNameOf = (setting: string) =>
  setting.toLowerCase().replaceAll(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase())

export const settingByOption = new Map(
  settingNames.filter((name) => !isOfProcess(name)).map((name) => [optionNameOf(name), name]),
)

/** The defaults of a server in a program, where they differ from a dedicated process. */
export const defaultOptions = {
  port: 0,
  httpsPort: 'off',
  logLevel: 'silent',
  dataDir: ':memory:',
}

/** @throws {IdentityProviderOptionsError} identity_provider_options lists every fault */
function validateOptions(options: IdentityProviderOptions): Settings {
  const chosen = Object.entries({ ...defaultOptions, ...options }).filter(
    ([, value]) => value !== undefined,
  )
  const unknown = chosen.filter(([name]) => !settingByOption.has(name))
  const faults = unknown.map(([name]) => `${name} is not an option`)
  const values = chosen.map(([name, value]) => [settingByOption.get(name) ?? '', value])
  try {
    const settings = readSettings(Object.fromEntries(values), optionNameOf)
    if (faults.length === 0) return settings
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause
    faults.push(...cause.faults)
  }
  throw new IdentityProviderOptionsError(faults)
}

/**
 * Starts the identity provider in this process. It is ready when the promise resolves. It reads no
 * environment, and writes no log unless `logLevel` is set.
 *
 * @param options the settings in camel case. By default `port` is 0, a free port, and `httpsPort` is
 *   `off`. By default `dataDir` is `:memory:`: nothing is kept, the files of the server are in a private
 *   temporary folder, and the end of the server removes it. `databaseUrl` selects PostgreSQL.
 * @throws {IdentityProviderOptionsError} identity_provider_options lists every invalid or unknown option
 * @throws {Error} with a sentence for the operator, or with Node's `code`, such as `EADDRINUSE`
 * @example
 * await using provider = await startIdentityProvider({ registrations: 'registrations.json' })
 * provider.url // http://127.0.0.1:40123
 */
export async function startIdentityProvider(
  options: IdentityProviderOptions = {},
): Promise<IdentityProvider> {
  const { reopen: _, ...provider } = await startInProcess(options)
  return provider
}

/** Like `startIdentityProvider`, with parts of the environment replaced, for the lab and for tests. */
export async function startInProcess(
  options: IdentityProviderOptions,
  environment?: ServiceEnvironment,
): Promise<IdentityProvider & Pick<Service, 'reopen'>> {
  const settings = validateOptions(options)
  const isTemporary = settings.DATA_DIR === ':memory:'
  const dataDir = isTemporary
    ? await mkdtemp(join(tmpdir(), 'greeting-identity-provider-'))
    : resolve(settings.DATA_DIR)
  const removeFolder = async () => {
    if (isTemporary) await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const log = pino({ level: settings.LOG_LEVEL })
    const inProcess = { ...settings, DATA_DIR: dataDir, REUSE_PORT: false }
    const service = await startService({ settings: inProcess, log, environment })
    const { url, httpsUrl, metricsUrl, reopen } = service
    let stopping: Promise<void> | undefined
    const stop = () => {
      stopping ??= service.stop().finally(removeFolder)
      return stopping
    }
    return { url, httpsUrl, metricsUrl, dataDir, reopen, stop, [Symbol.asyncDispose]: stop }
  } catch (cause) {
    await removeFolder()
    throw cause
  }
}
