import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
  /** The registrations of an empty data folder. */
  readonly registrationsFile: string
  /** How a user starts this command, in the texts that are meant for a shell. */
  readonly command: string
}

const packageFolder = join(import.meta.dirname, '../..')
const fileOf = (specifier: string) => fileURLToPath(import.meta.resolve(specifier))
const bundledRegistrations = join(packageFolder, 'registrations/greeting.json')
// The installed package contains this file. In the repository it lies outside of the folder.
const isInstalled = existsSync(bundledRegistrations)

/** The services of this repository. The installed package contains them. */
export const services: Services = {
  identityProvider: {
    title: 'identity provider',
    logName: 'identity-provider',
    mainFile: fileOf('@greeting/identity-provider/main'),
  },
  greetingApi: {
    title: 'greeting API',
    logName: 'greeting-api',
    mainFile: fileOf('@greeting/api/main'),
  },
  registrationsFile: isInstalled
    ? bundledRegistrations
    : join(packageFolder, '../registrations/greeting.json'),
  // Without an installed command `greeting`, `npx greeting` would run a package of that name.
  command: isInstalled ? 'npx @greeting/cli' : 'npx greeting',
}
