import { runService } from '@greeting/http-service'
import { startService } from './service.ts'
import { readSettings } from './settings.ts'

await runService(process, {
  name: 'greeting-api',
  title: 'greeting API',
  readSettings,
  start: startService,
})
