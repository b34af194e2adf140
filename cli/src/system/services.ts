import { join } from 'node:path'

/** A service that `greeting start` runs as a process of its own. */
export type Service = {
  /** How a person calls it. */
  readonly title: string
  /** Name of its log file, without extension. */
  readonly logName: string
  /** The file that Node runs. */
  readonly mainFile: string
}

export type Services = {
  readonly identityProvider: Service
  readonly greetingApi: Service
  /** The registrations that an empty data folder is given. */
  readonly registrationsFile: string
}

const root = join(import.meta.dirname, '../../..')

/** The services of this repository. */
export const services: Services = {
  identityProvider: {
    title: 'identity provider',
    logName: 'identity-provider',
    mainFile: join(root, 'services/identity-provider/src/main.ts'),
  },
  greetingApi: {
    title: 'greeting API',
    logName: 'greeting-api',
    mainFile: join(root, 'services/greeting-api/src/main.ts'),
  },
  registrationsFile: join(root, 'registrations/greeting.json'),
}
