import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { shellQuote } from '../text/visible-text.ts'

type Run = typeof import('@greeting/api/run').runGreetingApi
export type Listening = NonNullable<Awaited<ReturnType<Run>>>

/** A service that `greeting start` runs. */
export type Service = {
  /** Its name for people. */
  readonly title: string
  /** Name of its log file, without extension. */
  readonly logName: string
  /** Loads its code, which a job that runs each minute does without. */
  readonly load: () => Promise<Run>
}

/** A program that runs as a separate process. */
type Program = { readonly mainFile: string }

export type Services = {
  readonly identityProvider: Service
  readonly greetingApi: Service
  readonly authorizer: Program
  /** The identity provider alone, for backups. */
  readonly identityProviderProgram: Program
  /** The registrations of an empty data folder. */
  readonly registrationsFile: string
  /** How a user starts this command, in the texts that are meant for a shell. */
  readonly command: string
}

const program = (specifier: string): Program => ({
  // Found when it is needed, which is after most commands have ended.
  get mainFile() {
    return fileURLToPath(import.meta.resolve(specifier))
  },
})

/** The services of this repository. The installed package contains them. */
export const services: Services = {
  identityProvider: {
    title: 'identity provider',
    logName: 'identity-provider',
    load: async () => (await import('@greeting/identity-provider/run')).runIdentityProvider,
  },
  greetingApi: {
    title: 'greeting API',
    logName: 'greeting-api',
    load: async () => (await import('@greeting/api/run')).runGreetingApi,
  },
  authorizer: program('#authorizer'),
  identityProviderProgram: program('#identity-provider'),
  get registrationsFile() {
    return isInstalled()
      ? join(packageFolder(), bundledRegistrations)
      : join(packageFolder(), '..', bundledRegistrations)
  },
  get command() {
    // On the path, such as in an image. npm starts it from a folder of packages.
    const [, started = ''] = process.argv
    if (isSea()) return shellQuote(started)
    if (basename(started) === 'greeting' && !/[\\/]node_modules[\\/]/.test(started))
      return 'greeting'
    const { npm_config_package: named = '' } = process.env
    // `npx -p <tarball> greeting` installs into a folder of npm, where no later command looks.
    return /[\\/]_npx[\\/]/.test(packageFolder()) && /^[^\r\n]+$/.test(named)
      ? `npx -p ${shellQuote(named)} greeting`
      : greetingCommand
  },
}

/**
 * How a text starts this command: only where it is installed, in a clone or in a project. npx would
 * otherwise fetch a package of that name, which is not ours. Once it is published, npx gets `@greeting/cli`.
 */
const greetingCommand = 'npx --no-install greeting'

/** The same text, with the command that works here. The texts of the packages name the usual one. */
export const withCommand = (text: string, command: string): string =>
  text.replaceAll(greetingCommand, () => command)

const bundledRegistrations = 'services/greeting-api/registrations.json'
// The installed package contains this file. In the repository it lies outside of the folder.
const isInstalled = () => existsSync(join(packageFolder(), bundledRegistrations))

/** The folder of this package. The built files of the command lie at other depths than its source. */
export const packageFolder = (): string =>
  fileURLToPath(new URL('..', import.meta.resolve('#main')))
