import { runService } from '@greeting/http-service'
import { startService } from './service.ts'
import { readSettings, settingNames } from './settings.ts'

// A signal reads the rules at once.
let reload: () => unknown = () => undefined
process.on('SIGHUP', () => reload())

await runService(process, {
  name: 'greeting-authorizer',
  title: 'authorizer',
  settingNames,
  readSettings,
  start: async (...parts: Parameters<typeof startService>) => {
    const service = await startService(...parts)
    reload = service.reload
    return service
  },
})
