import type { GrowthCase } from '../growth-case.ts'
import { issuing } from './issuing.ts'
import { requests } from './requests.ts'
import { rolesOfClient } from './roles.ts'
import { start } from './start.ts'
import { tenants } from './tenants.ts'
import { tokens } from './tokens.ts'
import { writers } from './writers.ts'

/** All cases, in the order of a run. */
export const cases: readonly GrowthCase[] = [
  start,
  tokens,
  requests,
  tenants,
  issuing,
  rolesOfClient,
  writers,
]
