import { join } from 'node:path'

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
