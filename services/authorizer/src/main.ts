import { runService } from '@greeting/http-service'
import { startService } from './service.ts'
import { readSettings } from './settings.ts'

await runService(process, {
  name: 'greeting-authorizer',
  title: 'authorizer',
  readSettings,
  start: startService,
})
