import type { GrowthCase } from '../growth-case.ts'
import { audit } from './audit.ts'
import { cleanup } from './cleanup.ts'
import { client } from './client.ts'
import { command } from './command.ts'
import { disk } from './disk.ts'
import { graph } from './graph.ts'
import { issuing } from './issuing.ts'
import { portal } from './portal.ts'
import { registrations } from './registrations.ts'
import { remembered } from './remembered.ts'
import { rolesOfClient } from './roles.ts'
import { soak } from './soak.ts'
import { start } from './start.ts'
import { tenants } from './tenants.ts'
import { tokens } from './tokens.ts'
import { workers } from './workers.ts'

/** All cases, in the order of a run. */
export const cases: readonly GrowthCase[] = [
  ...[start, tokens, cleanup, graph, portal, tenants, audit, registrations],
  ...[issuing, rolesOfClient, workers, remembered, command, client, disk, soak],
]
