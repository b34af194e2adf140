import type { GrowthCase } from '../growth-case.ts'
import { audit } from './audit.ts'
import { cleanup } from './cleanup.ts'
import { graph } from './graph.ts'
import { start } from './start.ts'
import { tokens } from './tokens.ts'

/** All cases, in the order of a run. */
export const cases: readonly GrowthCase[] = [start, tokens, cleanup, graph, audit]
