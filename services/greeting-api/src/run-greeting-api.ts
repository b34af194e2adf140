import { type Listening, runService, type ServiceHost } from '@greeting/http-service'
import { startService } from './service.ts'
import { readSettings, settingNames } from './settings.ts'

/** Runs the greeting API as a process, or as a part of one. */
export const runGreetingApi = (host: ServiceHost): Promise<Listening | undefined> =>
  runService(host, {
    name: 'greeting-api',
    title: 'greeting API',
    settingNames,
    readSettings,
    start: startService,
  })
