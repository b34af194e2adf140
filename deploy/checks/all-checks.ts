import { chart, chartSchemas } from './chart.ts'
import { chartApiServer } from './chart-api-server.ts'
import type { Check } from './check.ts'
import { dashboardQueries } from './dashboards.ts'
import { engine, engines, poolers } from './engines.ts'
import { image } from './image.ts'
import { patroni } from './patroni.ts'
import { postgresPointInTime, sqlitePointInTime } from './point-in-time.ts'
import { proxies } from './proxies.ts'
import { regions } from './regions.ts'
import { keyEncryptionKeyRotation, rollingRestart, rollingUpgrade } from './rolling.ts'
import { alerts, compose, systemd } from './shipped-files.ts'

/** All parts of `npm run test:deploy`, in their order. */
export const checks: readonly Check[] = [
  image,
  chart,
  chartSchemas,
  chartApiServer,
  alerts,
  dashboardQueries,
  compose,
  systemd,
  ...proxies,
  rollingRestart,
  rollingUpgrade,
  keyEncryptionKeyRotation,
  postgresPointInTime,
  sqlitePointInTime,
  patroni,
  ...poolers,
  engines,
  regions,
  engine,
]
