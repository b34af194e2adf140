import type { Row } from '../harness/row.ts'
import { resourceServers } from './resource-servers.ts'
import { tokenEndpoints } from './token-endpoints.ts'

/** Every row of a whole run, in the order of the tables. */
export const rows: readonly Row[] = [...resourceServers, ...tokenEndpoints]
