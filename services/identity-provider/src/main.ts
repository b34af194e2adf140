import { runService } from '@greeting/http-service'
import { startService } from './service.ts'
import { readSettings } from './settings.ts'

await runService(process, {
  name: 'identity-provider',
  title: 'identity provider',
  readSettings,
  start: startService,
})
