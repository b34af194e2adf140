import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shellQuote } from '../text/visible-text.ts'

/** A service that `greeting start` runs as a process. */
export type Service = {
  /** Its name for people. */
  readonly title: string
  /** Name of its log file, without extension. */
  readonly logName: string
  /** The main file for Node. */
  readonly mainFile: string
}

export type Services = {
  readonly identityProvider: Service
  readonly greetingApi: Service
  readonly authorizer: Pick<Service, 'mainFile'>
  /** The registrations of an empty data folder. */
  readonly registrationsFile: string
  /** How a user starts this command, in the texts that are meant for a shell. */
  readonly command: string
}

const fileOf = (specifier: string) => fileURLToPath(import.meta.resolve(specifier))

/** The services of this repository. The installed package contains them. */
export const services: Services = {
  identityProvider: {
    title: 'identity provider',
    logName: 'identity-provider',
    // Found when it is needed: a job that runs each minute starts no service.
    get mainFile() {
      return fileOf('#identity-provider')
    },
  },
  greetingApi: {
    title: 'greeting API',
    logName: 'greeting-api',
    get mainFile() {
      return fileOf('#api')
    },
  },
  authorizer: {
    get mainFile() {
      return fileOf('#authorizer')
    },
  },
  get registrationsFile() {
    return isInstalled()
      ? join(packageFolder(), bundledRegistrations)
      : join(packageFolder(), '..', bundledRegistrations)
  },
  get command() {
    // On the path, such as in an image. npm starts it from a folder of packages.
    const [, started = ''] = process.argv
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
