import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contender, Lab, Pace } from './contender.ts'
import { allowedCores, pinSelf, shareOut } from './cores.ts'
import { callers } from './guarded-route.ts'
import { loadsAlone } from './heats.ts'
import { startKeySetServer } from './key-set-server.ts'
import type { LoadGenerator } from './load-generator.ts'
import { createScene, type Scene } from './scene.ts'
import { createTokenPool, type TokenPool, verificationsPerSecond } from './token-pool.ts'

/**
 * Node's own verifications a second bound what any server here accepts, HTTP being paid too; but another
 * minute may find the machine faster than the one in which they were counted.
 */
const shareOfVerifications = 1.1

/**
 * Makes what all contenders of a run have in common, gives it to the work and clears it away
 * when the process ends.
 *
 * @param pinning whether processes can be kept on their cores
 */
export async function withLaboratory<Result>(
  contenders: readonly Contender[],
  pace: Pace,
  { generator, pinning }: { generator: LoadGenerator; pinning: boolean },
  work: (lab: Lab) => Promise<Result>,
): Promise<Result> {
  const scene = createScene()
  const folder = await mkdtemp(join(tmpdir(), 'greeting-bench-'))
  // However the run ends: the tokens of a long one are hundreds of megabytes.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const pools = await createPools(contenders, scene, pace, folder)
  const allowed = pinning ? allowedCores() : []
  // The harness serves the keys: it belongs to the load's side.
  pinSelf(shareOut(allowed, 1).load)
  const keySet = await startKeySetServer(scene)
  const cores = (serverCores: 1 | 2) => shareOut(allowed, serverCores)
  try {
    return await work({ scene, keySet, pools, generator, folder, cores })
  } finally {
    keySet.stop()
  }
}

/** One pool for each load of a row whose tokens must be new; every start of its server uses them once. */
async function createPools(
  contenders: readonly Contender[],
  scene: Scene,
  pace: Pace,
  folder: string,
): Promise<Lab['pools']> {
  const create = (count: number, turn: number) =>
    createTokenPool(scene, count, join(folder, `tokens-${turn}.txt`))
  if (!contenders.some(({ tokens }) => tokens === 'every one new'))
    return [await create(callers, 0)]
  const mostPerSecond = verificationsPerSecond(scene) * shareOfVerifications
  const most = (seconds: number) => Math.max(callers, Math.ceil(mostPerSecond * seconds))
  const pools: [TokenPool, ...TokenPool[]] = [await create(most(pace.aloneSeconds), 0)]
  while (pools.length < loadsAlone) pools.push(await create(most(pace.aloneSeconds), pools.length))
  // What is asked last before each pause is a token more for every connection.
  const answeredInPauses = (pace.turns + 1) * pace.connections
  const inTurns = most((pace.turns * pace.turnMs) / 1000) + answeredInPauses
  while (pools.length < loadsAlone + pace.rounds) pools.push(await create(inTurns, pools.length))
  return pools
}
