import { runService } from '@greeting/http-service'
import { startService } from './service.ts'
import { readSettings, settingNames } from './settings.ts'

await runService(process, {
  name: 'greeting-api',
  title: 'greeting API',
  settingNames,
  readSettings,
  start: startService,
})
