import { pino } from 'pino'
import { startService } from '../../services/greeting-api/src/service.ts'
import { readSettings } from '../../services/greeting-api/src/settings.ts'
import { listenOnBun } from './bun-server.ts'
import { announce } from './environment.ts'

/** The greeting API in its released form, on Bun. */
const settings = readSettings(process.env)
const log = pino({ level: settings.LOG_LEVEL })
const { url } = await startService(settings, log, { openListener: listenOnBun })
announce(url)
